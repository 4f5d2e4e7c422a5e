import { expect, test } from "vitest"
import { importErrors, importsOf } from "../../build/check-imports.ts"

const errors = (files: Record<string, string>) => importErrors(new Map(Object.entries(files)))

test("a part may import what the table names, and itself", () => {
  const files = {
    "src/agent/turn.ts": `import { reply } from "./reply.ts"\n`,
    "src/agent/reply.ts": `export const reply: string = "hi"\n`,
    "src/model/openai.ts": `import type { Model } from "../agent/turn.ts"\nconst later = () => import("openai")\n`,
  }
  expect(errors(files)).toEqual([])
})

test("a part may not import what the table does not name, not even for types or later on", () => {
  const files = {
    "src/agent/turn.ts": [
      `import type { Session } from "../session/session.ts"`,
      `export { x } from "../session/session.ts"`,
      `const later = await import("../session/session.ts")`,
    ].join("\n"),
    "src/session/session.ts": "",
  }
  const error = "src/agent/turn.ts imports src/session/session.ts; src/agent may import nothing"
  expect(errors(files)).toEqual([error, error, error])
})

test("a cycle is told once, in its order, types counted", () => {
  const files = {
    "src/agent/a.ts": `import type { B } from "./b.ts"`,
    "src/agent/b.ts": `import { c } from "./c.ts"`,
    "src/agent/c.ts": `import { a } from "./a.ts"`,
    "src/agent/d.ts": `import { a } from "./a.ts"`,
  }
  expect(errors(files)).toEqual(["a cycle: src/agent/a.ts → src/agent/b.ts → src/agent/c.ts → src/agent/a.ts"])
})

test("two tools never import each other; what all tools share they may", () => {
  const files = {
    "src/tools/define.ts": "export const defineTool = (definition: object): object => definition\n",
    "src/tools/glob.ts": `import { defineTool } from "./define.ts"\nexport const glob = defineTool({})\n`,
    "src/tools/grep.ts": `import { glob } from "./glob.ts"\nexport const grep = defineTool({})\n`,
    "src/tools/catalog.ts": `import { glob } from "./glob.ts"\nimport { grep } from "./grep.ts"\n`,
  }
  expect(errors(files)).toEqual(["src/tools/grep.ts imports src/tools/glob.ts; a tool may not import another"])
})

test("only runtime/ imports modules of the platform", () => {
  const files = {
    "src/text/diff.ts": `import { join } from "node:path"\n`,
    "runtime/node/files.ts": `import { join } from "node:path"\n`,
  }
  expect(errors(files)).toEqual(["src/text/diff.ts imports node:path; only runtime/ may"])
})

test("a package is imported only by the parts that may, and one that is not listed by none", () => {
  const files = {
    "src/agent/turn.ts": `import * as v from "valibot"\n`,
    "src/permission/shell.ts": `const parse = async () => (await import("unbash")).parse\n`,
    "src/text/pad.ts": `import pad from "left-pad"\n`,
  }
  expect(errors(files)).toEqual([
    "src/agent/turn.ts imports valibot; only src/acp, src/tools, src/settings, src/model, src/mcp may",
    "src/text/pad.ts imports left-pad, a package that is not in the table of build/check-imports.ts",
  ])
})

test("of the protocol's SDK only types are imported", () => {
  const files = {
    "src/acp/updates.ts": `import type { SessionUpdate } from "@agentclientprotocol/sdk"\n`,
    "src/acp/server.ts": `import { AgentSideConnection } from "@agentclientprotocol/sdk"\n`,
  }
  expect(errors(files)).toEqual([
    `src/acp/server.ts imports @agentclientprotocol/sdk; only its types may be, by "import type"`,
  ])
})

test("a folder that the table does not know, and a file that is not there, are errors", () => {
  const files = { "src/utils/misc.ts": "", "src/text/diff.ts": `import { x } from "./gone.ts"\n` }
  expect(errors(files)).toEqual([
    "src/utils/misc.ts belongs to no part; add its folder to the table in build/check-imports.ts",
    "src/text/diff.ts imports src/text/gone.ts, which is not there",
  ])
})

test("imports in comments are none, and an import may take several lines", () => {
  const text = [
    `/** Use it so: import("./shown.ts")`,
    ` * import { serve } from "./shown.ts"`,
    " */",
    `// await import("./shown.ts")`,
    "import {",
    "  one,",
    "  type Two,",
    `} from "./real.ts"`,
  ].join("\n")
  expect(importsOf("src/acp/server.ts", text)).toEqual([{ target: "src/acp/real.ts", kind: "code" }])
})
