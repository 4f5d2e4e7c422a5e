import { chmod, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import type { Processes } from "../../src/runtime.ts"
import { lineMatcher } from "../../src/text/line-matcher.ts"
import { glob } from "../../src/tools/glob.ts"
import { searchFileContent } from "../../src/tools/search-file-content.ts"
import { ripgrep, type Sieve } from "../../src/workspace/ripgrep.ts"
import { folderOf } from "../support/folder.ts"
import { testRuntime } from "../support/runtime.ts"
import { answerOf, workspaceOf } from "../support/workspace.ts"

const { processes, system } = testRuntime()
const never = new AbortController().signal
const matcher = lineMatcher("x", { literal: false })

/** A folder with an `rg` that does what this script says. */
async function pathWith(script: string): Promise<string> {
  const folder = await folderOf({})
  await writeFile(`${folder}/rg`, `#!/bin/sh\n${script}\n`)
  await chmod(`${folder}/rg`, 0o755)
  return `${folder}:/usr/bin:/bin`
}

/** Processes that count what they start. */
function counted(): Processes & { started: string[] } {
  const started: string[] = []
  return {
    started,
    spawn(command, options) {
      started.push(command[0])
      return processes.spawn(command, options)
    },
  }
}

test("SE-07 a ripgrep that is missing, of the wrong kind or crashing is not asked again", async () => {
  const paths = ["/nonexistent", await pathWith("exit 127"), await pathWith("kill -SEGV $$")]
  for (const PATH of paths) {
    const watched = counted()
    const sieve = ripgrep(watched, { PATH }, "/", "/home/me")
    expect(await sieve(["/a"], matcher, never)).toBe(undefined)
    expect(await sieve(["/a"], matcher, never)).toBe(undefined)
    expect(watched.started).toEqual(["rg"])
  }
})

test("SE-07 a ripgrep that refuses a pattern is asked again with the next one", async () => {
  const PATH = await pathWith('case "$*" in *bad*) exit 2;; esac; printf "/a\\0/b\\0"')
  const sieve = ripgrep(processes, { PATH }, "/", "/home/me")
  expect(await sieve(["/a"], lineMatcher("bad", { literal: false }), never)).toBe(undefined)
  expect(await sieve(["/a"], matcher, never)).toEqual(new Set(["/a", "/b"]))
})

test("a ripgrep in the workspace is not the user's", async () => {
  const folder = await folderOf({})
  await writeFile(`${folder}/rg`, "#!/bin/sh\ntouch ran\n", { mode: 0o755 })
  const watched = counted()
  const PATH = `.:${folder}/node_modules/.bin:${folder}`
  expect(await ripgrep(watched, { PATH }, folder, "/home/me")(["/a"], matcher, never)).toBe(undefined)
  expect(watched.started).toEqual([])
})

test("what ripgrep names beyond what matches is not shown", async () => {
  const PATH = await pathWith('shift 8; for each; do printf "%s\\0" "$each"; done')
  const workspace = await workspaceOf({ "a.txt": "needle", "b.txt": "hay" })
  const sieve = ripgrep(processes, { PATH }, workspace.cwd, "/home/me")
  expect(await answerOf(searchFileContent(workspace, { sieve }), { pattern: "needle" })).toBe("a.txt\n1: needle")
})

const TREE = {
  ".gitignore": "node_modules/\n*.log\n",
  "a.log": "needle",
  "node_modules/m/index.js": "needle",
  ".github/ci.yml": "needle: Needle\n",
  "-x.txt": "needle",
  "src/a.ts": "const needle = 1\r\nlet x\r\n",
  "src/b.ts": "import { needle } from 'x' // игла Игла\n",
  "src/cp1251.txt": Uint8Array.from([0xe8, 0xe3, 0xeb, 0xe0, 0x20, 0xf1, 0xf2, 0xee, 0xe3, 0x0a]),
  "src/utf16.txt": Uint8Array.from([0xff, 0xfe, 0x6e, 0, 0x65, 0, 0x65, 0, 0x64, 0, 0x6c, 0, 0x65, 0]),
  "src/binary.bin": Uint8Array.from([0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65, 0]),
  "src/deep/c.py": "def needle():\n    return (1, 2)\n",
  "z.txt": "nothing\nNEEDLE (1)\n",
}

const here = fileURLToPath(import.meta.url)

/** Whether the machine has one that works. */
const there = (await ripgrep(processes, system.env(), "/", "/home/me")([here], matcher, never)) !== undefined

test.skipIf(!there)("SE-07 results are the same with ripgrep and without", async () => {
  const workspace = await workspaceOf(TREE)
  const asked: (ReadonlySet<string> | undefined)[] = []
  const real = ripgrep(processes, system.env(), workspace.cwd, "/home/me")
  const sieve: Sieve = async (...args) => {
    const answer = await real(...args)
    asked.push(answer)
    return answer
  }
  const inputs = [
    { pattern: "needle" },
    { pattern: "Needle" },
    { pattern: "NEEDLE", case_sensitive: false },
    { pattern: "needle$" },
    { pattern: "\\bneedle\\b\\s*=" },
    { pattern: "игла" },
    { pattern: "\\bигла\\b" },
    { pattern: "\\w+ стог" },
    { pattern: "(1", literal: true },
    { pattern: "return \\(" },
    { pattern: "from \\\"|from \\'" },
    { pattern: "[\\w-.]+:" },
    { pattern: "needle(?= =)" },
    { pattern: "(needle|x)+" },
    { pattern: "needle", path: "node_modules" },
    { pattern: "needle", include: "*.ts", context: 1 },
    { pattern: "nowhere" },
  ]
  for (const input of inputs) {
    const [without, with_] = [searchFileContent(workspace), searchFileContent(workspace, { sieve })]
    expect([input, await answerOf(with_, input)]).toEqual([input, await answerOf(without, input)])
  }
  const unanswered = asked.flatMap((answer, at) => (answer ? [] : [inputs[at]]))
  expect(unanswered).toEqual([{ pattern: "needle(?= =)" }]) // the one that looks around
  expect(await answerOf(glob(workspace), { pattern: "**/*.ts" })).toBe("src/a.ts\nsrc/b.ts")
})
