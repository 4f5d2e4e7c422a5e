import assert from "node:assert/strict"
import { test } from "vitest"
import { factsOf } from "../../src/permission/facts.ts"
import { placesOn } from "../../src/permission/paths.ts"
import { groundWith, type Item } from "./ground.ts"

const text: Item = { text: "x" }

/** The places outside that a command reads, and what can't be told of it, in a workspace with these things in it. */
async function leads(command: string, items: Record<string, Item>): Promise<string[] | string> {
  const ground = groundWith(items)
  const reach = { type: "command", command, folder: "/w" } as const
  const facts = await factsOf({ name: "run_shell_command", kind: "execute" }, reach, ground, placesOn(ground))
  if (facts.type !== "command" || !facts.reading) return "not reading"
  return [
    ...facts.reads.filter(({ inside }) => !inside).map(({ real }) => real),
    ...facts.unresolved.map((word) => `? ${word}`),
  ]
}

test("PE-02 a pattern is judged by the links that it matches", async () => {
  const items: Record<string, Item> = {
    "/w/key.txt": { link: "/home/u/.ssh/id_rsa" },
    "/w/env": { link: "/proc/self/environ" },
    "/w/a.txt": text,
    "/w/in": { link: "/w/a.txt" },
    "/w/.hidden": { link: "/etc/x" },
    "/w/d/e/deep": { link: "/etc/deep" },
    "/w/l": { link: "/etc" },
    "/etc/passwd": text,
  }
  assert.deepEqual(await leads("cat *.txt", items), ["/home/u/.ssh/id_rsa"])
  assert.deepEqual(await leads("grep x e?v", items), ["/proc/self/environ"])
  assert.deepEqual(await leads("head [i]n a*", items), [])
  assert.deepEqual(await leads("cat .h*", items), ["/etc/x"])
  assert.deepEqual(await leads("wc d/*/deep", items), ["/etc/deep"])
  assert.deepEqual(await leads("wc d/*/*", items), ["/etc/deep"])
  assert.deepEqual(await leads("cat l*/passwd", items), ["/etc", "/etc/passwd"])
  assert.deepEqual(await leads("cd d && cat e/*", items), ["/etc/deep"])
  assert.deepEqual(await leads("diff d/e x", items), ["/etc/deep"])
})

test("PE-02 a pattern of the shell is judged whatever its matches are to the program", async () => {
  const items: Record<string, Item> = {
    "/home/u/.ssh/id_rsa": text,
    "/home/u/.ssh/known": text,
    "/w/x.ts": { link: "/etc/x" },
  }
  assert.deepEqual(await leads("grep -v ~/.ssh/* a", items), ["/home/u/.ssh"])
  assert.deepEqual(await leads("rg x.* a", items), ["/etc/x"])
  assert.deepEqual(await leads("echo ~/.ssh/*", items), ["/home/u/.ssh"])
  assert.deepEqual(await leads("git tag -l x*", items), ["/etc/x"])
  assert.deepEqual(await leads("find . -name *.ts", items), ["/etc/x"])
})

test("PE-07 what has no path is judged by the folder that `cd` leads to, which takes `..` off the path as it is written", async () => {
  const items: Record<string, Item> = { "/w/a/b/x": text, "/w/link": { link: "/w/a/b" } }
  assert.deepEqual(await leads("cd link/../.. && ls", items), ["/"])
  assert.deepEqual(await leads("cd link/.. && ls", items), [])
  assert.deepEqual(await leads("cd; git status", items), ["/home/u"])
  assert.deepEqual(await leads("cd .. || cd a; find", items), ["/", "/"])
})

test("PE-02 a pattern that matches names like flags, or too much, can't be told", async () => {
  assert.deepEqual(await leads("grep x *", { "/w/-R": text, "/w/a": text }), ["? /w/*"])
  assert.deepEqual(await leads("grep x ./*", { "/w/-R": text }), [])
  assert.deepEqual(await leads("grep x d/*", { "/w/d/-R": text }), [])
  const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, at) => [`/w/m/${at}`, text]))
  assert.deepEqual(await leads("cat m/*", many), ["? /w/m/*"])
})
