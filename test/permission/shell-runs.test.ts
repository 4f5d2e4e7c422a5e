import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { lstat, readdir, readFile, readlink } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { test } from "vitest"
import { nodeRuntime } from "../../runtime/node/runtime.ts"
import { factsOf } from "../../src/permission/facts.ts"
import { placesOn } from "../../src/permission/paths.ts"
import { judge } from "../../src/permission/policy.ts"
import { readingEnvironment } from "../../src/workspace/environment.ts"
import { folderOf } from "../support/folder.ts"

const TEXT = "two 2\none 1\n"
/** Programs of the project, by names that are looked for. */
const EVIL = "#!/bin/sh\ntouch ran\n"

/** A project with links that lead out, names like flags, lists of names, and programs of its own. */
async function project(): Promise<{ folder: string; outside: string }> {
  const outside = await folderOf({ "secret.txt": "CANARY\n", "more/f.txt": "CANARY\n" })
  const folder = await folderOf({
    ...Object.fromEntries(
      ["a", "a1", "a2", "in", "p1", "sub/x", "sub/y", "-o", "--pre", ".h/z"].map((path) => [path, TEXT]),
    ),
    ...Object.fromEntries(["ls", "cat", "head", "less", "diff", "gpg", "evil"].map((path) => [path, EVIL])),
    list: `0 ${outside}/secret.txt\n`,
    names: `${outside}/secret.txt`,
    lk: { link: `${outside}/secret.txt` },
    dlk: { link: `${outside}/more` },
    "d1/lk": { link: `${outside}/secret.txt` },
  })
  return { folder, outside }
}

const PROGRAMS =
  "ls cat head wc grep egrep rg file stat du sort uniq cut tr cmp comm paste fold column nl tac rev basename realpath " +
  "readlink od hexdump xxd sha256sum md5sum cksum find sed test date diff strings echo printf jq cd which type"
const WORDS =
  "a a1 in out . sub d1 d2 lk dlk list names sub/x * a* ?1 [a]* d? ./* sub/* d1/* l* 'a' - -- x 1 5 1p s/o/x/w s/o/x/e " +
  "%s +%F -name -type -newer @list */x .h/* ../x $HOME ~ $? '*' -o {a,b} a=~ '$(touch_z)' ./evil /proc/self/environ e*"
const FLAGS =
  "-ps -no -n -r -c -i -o -f -l -L -R -e -z -s -u -v -w -p -x -C -d -t --output=out --pre=./evil --files0-from=names"
const JOINTS = ["; ", " && ", " || ", " | ", "\n"]

/** What once ran unasked, and was more than reading. */
const KNOWN = ["xxd -ps in out", "xxd a1 a*", "uniq a*", "grep -v ~/*.txt a", "grep -h '' l* a", "file -p a", "rg d* a"]

const oneOf = (words: string) => fc.constantFrom(...words.split(" "))
const simple = fc
  .tuple(oneOf(PROGRAMS), fc.array(fc.oneof(oneOf(WORDS), oneOf(WORDS), oneOf(FLAGS)), { maxLength: 4 }))
  .map(([program, words]) => [program, ...words].join(" "))
const line = fc
  .tuple(simple, fc.option(fc.tuple(fc.constantFrom(...JOINTS), simple)))
  .map(([first, more]) => (more ? first + more.join("") : first))

/** All that is in a folder, with what links name and when it was changed. */
async function stateOf(folder: string): Promise<string[]> {
  const paths = (await readdir(folder, { recursive: true })).sort()
  return await Promise.all(
    paths.map(async (path) => {
      const info = await lstat(join(folder, path))
      const holds = info.isFile() ? await readFile(join(folder, path), "utf8") : ""
      return [path, info.mtimeMs, info.mode, info.isSymbolicLink() ? await readlink(join(folder, path)) : holds].join(
        " ",
      )
    }),
  )
}

test.runIf(nodeRuntime().system.os !== "windows")(
  "PE-01 PE-04 what runs unasked writes nothing, runs nothing of the project and shows nothing from outside",
  async () => {
    const { folder, outside } = await project()
    const { files, system } = nodeRuntime()
    const ground = {
      files,
      os: system.os,
      home: outside,
      kodaHome: `${outside}/k`,
      roots: () => [folder],
      ours: () => [],
    }
    const env = readingEnvironment({ PATH: `${folder}:${process.env["PATH"]}`, HOME: outside }, [folder], outside)
    const tool = { name: "run_shell_command", kind: "execute" } as const
    const before = await stateOf(folder)
    const broken: string[] = []
    const ran: string[] = []
    for (const command of new Set([...KNOWN, ...fc.sample(line, { seed: 1, numRuns: 400 })])) {
      const facts = await factsOf(tool, { type: "command", command, folder }, ground, placesOn(ground))
      if (judge({ policy: "default", mode: "code" }, tool, facts).type !== "allow") continue
      const { stdout } = spawnSync("bash", ["-c", command], { cwd: folder, env, input: "", encoding: "latin1" })
      ran.push(command)
      if (stdout.includes("CANARY")) broken.push(`${command}: ${stdout}`)
    }
    assert.deepEqual(await stateOf(folder), before, `changed by one of ${ran.join("\n")}`)
    assert.deepEqual(broken, [])
    assert.ok(ran.length > 30, `only ${ran.length} were run`)
  },
)
