import assert from "node:assert/strict"
import { test } from "vitest"
import { covers, nameOfAlways, parseRule } from "../../src/permission/rules.ts"
import { whatToRemember } from "../../src/permission/shell.ts"

/** What is remembered of each command. */
async function remembered(commands: readonly string[]): Promise<Record<string, string | null>> {
  return Object.fromEntries(
    await Promise.all(commands.map(async (command) => [command, await whatToRemember(command)] as const)),
  )
}

test("PE-10 of a command its program and subcommand are remembered", async () => {
  const rules = {
    "npm test -- --watch": "npm test",
    "npm run build -- --x": "npm run build",
    "git push origin main": "git push",
    "git commit -am 'fix: a'": "git commit",
    "cargo test --all": "cargo test",
    "make -j4 test": "make -j4 test",
    "npx vitest run": "npx vitest",
    "node scripts/x.js --a": "node scripts/x.js",
    "python -m pytest -q": "python -m pytest",
    "bun run build": "bun run build",
    "tsc --noEmit -p .": "tsc",
    "mkdir -p a/b": "mkdir",
    "foo deploy --prod": "foo deploy --prod",
    "direnv exec . make": "direnv exec . make",
    "./gradlew test": "./gradlew test",
  }
  assert.deepEqual(await remembered(Object.keys(rules)), rules)
})

test("PE-10 of a program that is not known the whole command is remembered, since it may run others", async () => {
  const rules = new Set(["run_shell_command(flock a npm test)"])
  const next = ["flock a npm test", "flock a rm -rf x"].map(async (command) => {
    const rule = await whatToRemember(command)
    return covers(rules, { why: "command", what: command, rule: rule === null ? null : `run_shell_command(${rule})` })
  })
  assert.deepEqual(await Promise.all(next), [true, false])
  const unclear = ["flock a 'npm test; ls'", 'sqlite3 a.db ".shell ls"', 'foo ""']
  assert.deepEqual(await remembered(unclear), Object.fromEntries(unclear.map((command) => [command, null])))
})

test("PE-10 dangerous commands are never remembered", async () => {
  const commands = [
    "rm -rf x",
    "/bin/rm x",
    "\\rm x",
    "dd if=a of=b",
    "git push --force",
    "git push -f",
    "git push -uf origin x",
    "git push --force-with-lease",
    "git push --forc",
    "git push origin +main",
    "git push origin :main",
    "git push --delete origin x",
    "git push --mirror",
    "git push --receive-pack=sh",
    "git reset --hard",
    "git clean -fd",
    "git checkout .",
    "git -c a=b commit",
    "git fetch --upload-pack=sh",
    "git commit --no-verify",
    "curl x | sh",
    "curl x",
    "sudo npm test",
    "chmod -R 777 .",
    "bash -c ls",
    "sh x.sh",
    "eval x",
    "xargs rm",
    "find . -delete",
    "sed -i s/a/b/ f",
    "node -e 'x'",
    "python -c x",
    "perl -e x",
    "npm publish",
    "npm exec x",
    "npx cowsay",
    "docker run x",
    "kill 1",
    "env X=1 npm test",
    "ssh h ls",
  ]
  assert.deepEqual(await remembered(commands), Object.fromEntries(commands.map((command) => [command, null])))
})

test("PE-10 several commands, and what can't be told from the text, are only allowed once", async () => {
  const commands = [
    "npm test && npm run build",
    "npm test > out.txt",
    "X=1 npm test",
    "npm test $(cat a)",
    "npm test $X",
    "$CMD test",
    "npm test &",
    "npm test `x`",
    "if npm test; then ls; fi",
    "npm test *",
    'cat "$F"; npm test',
    "cat */../../x && npm test",
  ]
  assert.deepEqual(await remembered(commands), Object.fromEntries(commands.map((command) => [command, null])))
})

test("PE-03 what only reads beside a command needs no rule", async () => {
  const rules = {
    "npm test 2>&1 | tail -20": "npm test",
    "cd src && npm test": "npm test",
    "git status; npm test && npm test": "npm test",
  }
  assert.deepEqual(await remembered(Object.keys(rules)), rules)
})

test("PE-10 the option says what is remembered, and for how long", () => {
  const names = {
    edit: "Allow all edits in this session",
    "run_shell_command(npm test)": "Always allow `npm test` in this session",
    "read_file(/usr/include)": "Always allow reading in /usr/include in this session",
    "read_file(/tmp/\u202ex)": "Always allow reading in /tmp/\\u202ex in this session",
    "web_fetch(example.com)": "Always allow fetching from example.com in this session",
    "sub_agent(implement)": "Always allow the subagent implement in this session",
    mcp__s__t: "Always allow mcp__s__t in this session",
  }
  assert.deepEqual(Object.fromEntries(Object.keys(names).map((rule) => [rule, nameOfAlways([rule])])), names)
  assert.deepEqual(
    [nameOfAlways([null]), nameOfAlways(["edit", null]), nameOfAlways(["edit", "mcp__s__t"]), nameOfAlways([])],
    [null, null, null, null],
  )
  assert.equal(nameOfAlways(["edit", "edit"]), names.edit)
})

test("a folder that is open for reading opens the folders in it, and no others", () => {
  const point = (folder: string) => ({ why: "outside_read", what: "", rule: `read_file(${folder})` }) as const
  const covered = ["/usr/include", "/usr/include/sys", "/usr", "/usr/includes"].map((folder) =>
    covers(["read_file(/usr/include)"], point(folder)),
  )
  assert.deepEqual(covered, [true, true, false, false])
  assert.equal(covers(["edit"], { why: "protected", what: "", rule: null }), false)
})

test("permissions.allow takes what 'always' would remember, by any name of the tool", () => {
  const rules = {
    edit: "edit",
    replace: "edit",
    " write_file ": "edit",
    "run_shell_command(git push)": "run_shell_command(git push)",
    "bash( npm  run build )": "run_shell_command(npm run build)",
    "shell(tsc)": "run_shell_command(tsc)",
    "web_fetch(Example.com)": "web_fetch(example.com)",
    "read_file(~/notes/)": "read_file(/home/u/notes)",
    "sub_agent(project:fixer)": "sub_agent(project:fixer)",
    mcp__server__tool: "mcp__server__tool",
  }
  assert.deepEqual(
    Object.fromEntries(Object.keys(rules).map((text) => [text, parseRule(text, "/home/u")])),
    Object.fromEntries(Object.entries(rules).map(([text, rule]) => [text, { rule }])),
  )
})

test("permissions.allow says what is wrong with an entry", () => {
  const forms =
    "Write `edit`, `run_shell_command(git push)`, `web_fetch(example.com)`, `read_file(/folder)`, `sub_agent(implement)` or the name of a server's tool, `mcp__server__tool`."
  const errors = {
    "": `is no rule that we know. ${forms}`,
    everything: `is no rule that we know. ${forms}`,
    run_shell_command: `must say what is allowed. ${forms}`,
    "run_shell_command(rm -rf)": "is never allowed in advance: `rm -rf` is asked for each time.",
    "bash(git push --force)": "is never allowed in advance: `git push --force` is asked for each time.",
    "bash(npm test --watch)": "would allow more than it says. Write `run_shell_command(npm test)`.",
    "edit(src)": "can't name files: edits are allowed all together, as `edit`.",
    "mcp__s__t(x)": 'has no use for "(x)": a server\'s tool is allowed whole.',
    "web_fetch(https://x.org/a)": "must name a host, as in `web_fetch(example.com)`.",
    "read_file(src)": "must name a folder by its whole path.",
  }
  const said = Object.fromEntries(Object.keys(errors).map((text) => [text, parseRule(text, "/home/u")]))
  assert.deepEqual(
    said,
    Object.fromEntries(
      Object.entries(errors).map(([text, error]) => [text, { error: `permissions.allow: "${text}" ${error}` }]),
    ),
  )
})
