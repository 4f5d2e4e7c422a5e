import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
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
      { command, folder: rig.folder, repositories: [rig.folder] },
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

/** What a reading command of git prints in these repositories below the folder, and whether a trap was sprung. */
async function quietly(rig: Rig, command: string, ...below: string[]): Promise<{ text: string; sprung: boolean }> {
  const repositories = below.length === 0 ? [rig.folder] : below.map((name) => join(rig.folder, name))
  const { text } = await rig.commands.run(
    { command, folder: rig.folder, repositories },
    { timeoutMs: 60_000 },
    () => {},
    new AbortController().signal,
  )
  return { text, sprung: (await readdir(rig.folder)).includes("sprung") }
}

/** A folder in which this was done; `$T` is a trap that leaves a file when it is run. */
async function folderWith(setup: string): Promise<Rig> {
  const rig = await commandsHere()
  const sprung = join(rig.folder, "sprung")
  const lines = [
    "set -e",
    'git() { command git -c user.name=a -c user.email=a@b.c -c init.defaultBranch=main "$@"; }',
    `printf '#!/bin/sh\ntouch ${sprung}; cat\n' > trap; chmod +x trap; T=$PWD/trap`,
    "traps() { for k in filter.x.clean diff.x.textconv core.fsmonitor diff.external; do git config $k $T; done; }",
    setup,
    `rm -f ${sprung}`,
  ]
  const { ending, text } = await run(rig, lines.join("\n"))
  expect({ text, ending }).toMatchObject({ ending: { code: 0 } })
  return rig
}

test("PE-05 no program of a repository runs in which git works by -C or cd", async () => {
  const rig = await folderWith(`git init -q .; git init -q sub; cd sub; echo a > a
    echo 'a filter=x diff=x' > .gitattributes; git add .; git commit -qm one; traps; echo b > a; touch -d 2001-01-01 a`)
  const command = "git -C sub diff && cd sub && git status --short && git log -p -1"
  const { text, sprung } = await quietly(rig, command, "sub")
  expect({ changed: text.includes(" M a\n"), sprung }).toEqual({ changed: true, sprung: false })
})

test("PE-05 a filter that a repository must have is no reason to fail where none may run", async () => {
  const rig =
    await folderWith(`git init -q .; echo a > a; echo 'a filter=x' > .gitattributes; git add a; git commit -qm one
    git config filter.x.clean $T; git config filter.x.required true; echo b > a; touch -d 2001-01-01 a`)
  expect(await quietly(rig, "git diff --stat -- a")).toEqual({
    text: " a | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n",
    sprung: false,
  })
})

test("PE-05 git tells nothing of a file that a repository's settings name", async () => {
  const rig = await folderWith(`git init -q .; echo a > a; git add a; git commit -qm one
    echo '# none' > revs; echo 'a secret' > ../key-of-$(basename $PWD); ln -s ../key-of-$(basename $PWD) link`)
  const blamed = async (file: string) => {
    await run(rig, `git config blame.ignoreRevsFile ${file}`)
    return await quietly(rig, "git blame -s a").then(({ text }) => text, String)
  }
  onTestFinished(() => rm(`${rig.folder}/../key-of-${basename(rig.folder)}`, { force: true }))
  const refused = "names FILE, which lies outside of it and which git would read."
  for (const file of ["link", `../key-of-${basename(rig.folder)}`, `${rig.folder}/link`]) {
    expect(await blamed(file)).toContain(refused.replace("FILE", file))
  }
  for (const file of ["revs", `${rig.folder}/revs`]) expect(await blamed(file)).toMatch(/^\^?[0-9a-f]+ 1\) a\n$/)
})

test("PE-05 no program of a submodule runs, though the repository asks for it", async () => {
  const rig = await folderWith(`git init -q up; cd up; git init -q sub; cd sub; echo a > a
    echo 'a filter=x diff=x' > .gitattributes; git add .; git commit -qm one; traps; echo b > a; touch -d 2001-01-01 a
    cd ..; for k in path=sub url=./sub ignore=none; do git config -f .gitmodules submodule.s.1.$\{k%=*} $\{k#*=}; done
    git add . 2>/dev/null; git commit -qm two; git config diff.submodule diff; git config status.submoduleSummary true`)
  expect((await quietly(rig, "git -C up diff; git -C up status", "up")).sprung).toBe(false)
})

test("PE-05 no signature is checked by a program that the repository names, whatever its formats ask", async () => {
  const rig = await folderWith(`git init -q .; git commit -q --allow-empty -m one
    git config gpg.program $T; git config format.pretty '%s %G?'
    sign() { sed '/^$/,$d'; echo gpgsig -----BEGIN PGP SIGNATURE-----; printf ' \n x\n'; echo ' -----END PGP SIGNATURE-----'; }
    { git cat-file commit HEAD | sign; printf '\nsigned\n'; } > c
    git update-ref HEAD $(git hash-object -t commit -w c)`)
  const { text, sprung } = await quietly(rig, "git log -1")
  expect({ subject: text.slice(0, 6), sprung }).toEqual({ subject: "signed", sprung: false })
})

test("PE-05 nothing that is missing of a repository is fetched", async () => {
  const rig = await folderWith(`git init -q .; echo a > a; git add a; git commit -qm one; b=$(git rev-parse HEAD:a)
    rm -f .git/objects/$(echo $b | cut -c1-2)/$(echo $b | cut -c3-)
    git config core.repositoryFormatVersion 1; git config extensions.partialClone origin
    git config remote.origin.promisor true; git config remote.origin.url ssh://x/y; git config core.sshCommand $T`)
  expect((await quietly(rig, "git log -p; git show HEAD:a")).sprung).toBe(false)
})

test("PE-05 a repository can't have git show files that lie elsewhere", async () => {
  const rig = await folderWith(`mkdir secret; echo key > secret/id
    git init -q sub; cd sub; git config core.worktree $PWD/../secret; echo old > old
    old=$(git hash-object -w old); git update-index --add --cacheinfo 100644,$old,id; cd ..
    git init -q --bare bare; cp sub/.git/index bare; cp -r sub/.git/objects bare; cd bare
    git config core.bare false; git config core.worktree $PWD/../secret; cd ..
    git init -q up; cp -r sub/.git/objects up/.git; cd up; git config core.worktree $PWD/..
    git update-index --add --cacheinfo 100644,$old,secret/id`)
  const refused =
    /^This was not run: the repository in \S+ says by core.worktree that its files are .+, which git would read\.$/
  for (const name of ["sub", "bare", "up"]) {
    await expect(quietly(rig, `git -C ${name} diff`, name), name).rejects.toThrow(refused)
  }
})

test("a repository that says where its files are is read if they are there: a submodule", async () => {
  const rig = await folderWith(`git init -q sub; cd sub; echo a > a; git add .; git commit -qm one
    mkdir -p ../modules; mv .git ../modules/sub; echo 'gitdir: ../modules/sub' > .git
    git config core.worktree ../../sub`)
  expect((await quietly(rig, "git -C sub log --format=%s", "sub")).text).toBe("one\n")
})
