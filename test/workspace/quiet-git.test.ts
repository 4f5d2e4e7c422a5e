import { chmod, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { commandsHere, type Rig, run } from "./this-machine.ts"

/** A repository whose own settings name a program in every place where reading git commands would run it. */
async function trappedRepository(): Promise<Rig> {
  const rig = await commandsHere()
  const trap = join(rig.folder, "trap")
  await writeFile(trap, `#!/bin/sh\necho "$0 $*" >> ${join(rig.folder, "sprung")}\nexec cat\n`)
  await chmod(trap, 0o755)
  await writeFile(join(rig.folder, ".gitattributes"), "*.txt diff=x filter=y\n")
  await writeFile(join(rig.folder, "a.txt"), "one\n")
  const set = [
    "core.fsmonitor",
    "diff.external",
    "diff.x.textconv",
    "diff.x.command",
    "filter.y.clean",
    "filter.y.smudge",
  ]
  const setup = [
    "git init -q . && git add .gitattributes a.txt && git -c user.name=a -c user.email=a@b.c commit -qm first",
    ...set.map((key) => `git config ${key} ${trap}`),
    `cp ${trap} .git/hooks/post-index-change`,
    "echo two >> a.txt; touch -d '2001-01-01' a.txt",
  ]
  const { ending, text } = await run(rig, setup.join(" && "))
  expect({ ending, text }).toEqual({ ending: { type: "exited", code: 0, signal: null, leftovers: false }, text: "" })
  return rig
}

test("PE-05 git commands that run unasked start no program that the repository names", async () => {
  const rig = await trappedRepository()
  const texts: string[] = []
  for (const command of ["git status --short", "git diff", "git log -p --ext-diff -1 -- a.txt"]) {
    const { text } = await rig.commands.run(
      { command, folder: rig.folder, reads: true },
      { timeoutMs: 60_000 },
      () => {},
      new AbortController().signal,
    )
    texts.push(text)
  }
  expect(await readFile(join(rig.folder, "sprung"), "utf8").catch(() => "nothing")).toBe("nothing")
  expect([texts[0], texts[1], texts[2]?.split("\n").at(-2)]).toEqual([
    " M a.txt\n?? trap\n",
    "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n one\n+two\n",
    "+one",
  ])
})

test("PE-05 git commands that the user allowed run as the user has set git up", async () => {
  const rig = await trappedRepository()
  await run(rig, "git status --short")
  expect(await readFile(join(rig.folder, "sprung"), "utf8")).toContain("trap")
})
