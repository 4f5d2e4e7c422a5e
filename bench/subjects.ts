import { access } from "node:fs/promises"
import { join } from "node:path"
import { compile, HOST_BINARY } from "../build/binary.ts"
import { mustRun, ROOT } from "../build/run.ts"

export type Command = readonly [string, ...string[]]

/** Our program on one runtime, and what it is measured against on the same one. */
export interface Subject {
  readonly name: string
  readonly ours: Command
  /** The agent that does next to nothing. */
  readonly floor: Command
  /** A program that answers one line. */
  readonly hello?: Command
}

const modules = (path: string) => join(ROOT, "node_modules", path)
const dist = (path: string) => join(ROOT, "dist", path)

/** Builds the programs that we are measured against, as ours are built, in a folder. */
export async function prepare(folder: string): Promise<Subject[]> {
  const floor = join(folder, "do-nothing.js")
  const hello = join(folder, "hello.js")
  await mustRun([
    "bun",
    "build",
    "--target=node",
    "--minify-syntax",
    "--minify-whitespace",
    `--outdir=${folder}`,
    "bench/do-nothing.ts",
    "bench/hello.ts",
  ])
  await compile("bench/do-nothing.ts", join(folder, "do-nothing"))
  await compile("bench/hello.ts", join(folder, "hello"))

  const node = modules("node/bin/node")
  const nodeMin = modules("node-min/bin/node")
  const bun = modules("bun/bin/bun.exe")
  const deno = [modules("deno/deno"), "run", "-A", "--no-lock"] as const
  return [
    {
      name: "binary",
      ours: [HOST_BINARY, "--acp"],
      floor: [join(folder, "do-nothing")],
      hello: [join(folder, "hello")],
    },
    { name: "node", ours: [node, dist("node/main.js"), "--acp"], floor: [node, floor], hello: [node, hello] },
    { name: "node-min", ours: [nodeMin, dist("node/main.js"), "--acp"], floor: [nodeMin, floor] },
    { name: "bun", ours: [bun, dist("bun/main.js"), "--acp"], floor: [bun, floor] },
    { name: "deno", ours: [...deno, dist("deno/main.js"), "--acp"], floor: [...deno, floor] },
  ]
}

/** What a subject needs and is not there. */
export async function missing({ ours }: Subject): Promise<string | undefined> {
  const program = ours.find((part) => part.startsWith(dist("")))
  if (!program) return undefined
  return access(program).then(
    () => undefined,
    () => program,
  )
}
