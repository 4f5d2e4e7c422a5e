import { existsSync } from "node:fs"
import { join } from "node:path"
import { HOST_BINARY } from "../../build/binary.ts"
import { ROOT } from "../../build/run.ts"

/** One way in which koda reaches its users, as it was built. */
export interface Subject {
  name: string
  command: readonly [string, ...string[]]
}

const tool = (path: string) => join(ROOT, "node_modules", path)
const built = (path: string) => join(ROOT, "dist", path)

/** The flags keep Bun and Deno from reading what the workspace says about them; users are told to give them. */
export const SUBJECTS: readonly Subject[] = [
  { name: "Node 24", command: [tool(".bin/node"), built("node/main.js")] },
  { name: "Node 22.13", command: [tool("node-min/bin/node"), built("node/main.js")] },
  {
    name: "Bun",
    command: [tool(".bin/bun"), "--config=/dev/null", "--no-env-file", built("bun/main.js")],
  },
  { name: "Deno", command: [tool(".bin/deno"), "run", "-A", "--no-config", built("deno/main.js")] },
  { name: "the binary", command: [HOST_BINARY] },
]

for (const { command } of SUBJECTS) {
  const program = command.at(-1)!
  if (!existsSync(program)) throw new Error(`${program} is not there: run \`npm run test:e2e\`, which builds it first`)
}
