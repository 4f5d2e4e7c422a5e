import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { expect, test } from "vitest"
import { ignoreRules, ruling } from "../../src/text/ignore-rules.ts"
import { folderOf } from "../support/folder.ts"

const LINES = [
  "a",
  "a/",
  "/a",
  "a/b",
  "*.log",
  "**/b",
  "a/**",
  "a/**/b",
  "**",
  "**/",
  "***/b",
  "a*/",
  "?",
  "[a-c]*",
  "[!a]",
  "[]a]",
  "[[:upper:]]",
  "[a",
  "a\\*",
  "\\!a",
  "\\#a",
  "#a",
  "a ",
  "a\\ ",
  "a\\",
  "a\r",
  ".*",
  "/",
  "!a",
  "",
  "a**b",
  "*/b",
]
const PATHS = [
  "a",
  "b",
  "a/b",
  "a/c/b",
  "b/a",
  "c/a/b",
  "x.log",
  "d/x.log",
  ".e",
  "a*",
  "!a",
  "#a",
  "a ",
  "a\\",
  "B",
  "]",
]

test("SE-02 each line of an ignore file leaves out what it does for git", async () => {
  const folder = await folderOf({})
  await git(folder, ["init", "--quiet"], "")
  for (const before of ["", "*\n!*/\n", "*.log\n/a\n"]) {
    for (const line of LINES) {
      const text = `${before}${line}\n`
      await writeFile(`${folder}/.gitignore`, text)
      const theirs = await git(folder, ["check-ignore", "--no-index", "-z", "--stdin"], PATHS.join("\0"))
      const rules = ignoreRules(text)
      expect([text, PATHS.filter((path) => isIgnored(rules, path))]).toEqual([text, theirs.split("\0").slice(0, -1)])
    }
  }
})

/** As a walk asks: first of the folders a path is in. */
function isIgnored(rules: ReturnType<typeof ignoreRules>, path: string): boolean {
  const names = path.split("/")
  const folders = names.slice(1).map((_, at) => names.slice(0, at + 1).join("/"))
  return folders.some((folder) => ruling(rules, folder, "folder")) || ruling(rules, path, "file") === true
}

function git(folder: string, args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve) => {
    const all = ["-c", "core.excludesFile=", "-C", folder, ...args]
    const child = execFile("git", all, (_, stdout) => resolve(stdout)) // it fails when it finds nothing
    child.stdin?.end(input)
  })
}
