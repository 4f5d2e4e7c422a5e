import assert from "node:assert/strict"
import { test } from "vitest"
import { type Place, placesOn } from "../../src/permission/paths.ts"
import { groundWith, type Item } from "./ground.ts"

type Parts = Parameters<typeof groundWith>[1]

/** In one word each: where the paths lead. */
async function kinds(paths: readonly string[], items?: Record<string, Item>, parts?: Parts): Promise<string[]> {
  return (await placesOn(groundWith(items, parts))(paths)).map(kind)
}

function kind({ inside, protected: isProtected, keys }: Place): string {
  if (keys) return "keys"
  if (!inside) return "outside"
  return isProtected ? "protected" : "inside"
}

test("PE-07 a link out of the workspace leads outside, also to what does not exist yet", async () => {
  const items: Record<string, Item> = {
    "/w/out": { link: "/outside" },
    "/outside": "folder",
    "/w/dangling": { link: "/outside/nofile" },
    "/w/p": { link: "/etc/passwd" },
    "/etc/passwd": { text: "" },
    "/w/up": { link: "../elsewhere" },
    "/w/in": { link: "src" },
    "/w/src": "folder",
  }
  const paths = ["/w/out/new.txt", "/w/out/new/deep.txt", "/w/dangling", "/w/p", "/w/up/x", "/w/in/x", "/w/new/x"]
  assert.deepEqual(await kinds(paths, items), [
    "outside",
    "outside",
    "outside",
    "outside",
    "outside",
    "inside",
    "inside",
  ])
})

test("PE-07 `..` goes up from where a link leads, as the system does it", async () => {
  const items: Record<string, Item> = {
    "/w/far": { link: "/outside/a/b" },
    "/outside/a/b": "folder",
    "/w/a/b": "folder",
  }
  assert.deepEqual(await kinds(["/w/far/../x", "/w/a/../b", "/w/../w/a", "/w/../x"], items), [
    "outside",
    "inside",
    "inside",
    "outside",
  ])
})

test("PE-07 links in a circle, and what can't be looked at, are outside", async () => {
  const ground = groundWith({ "/w/a": { link: "b" }, "/w/b": { link: "/w/a" } })
  const refusing = { ...ground, files: { ...ground.files, readLink: async () => Promise.reject(new Error("no")) } }
  assert.deepEqual((await placesOn(ground)(["/w/a/x"])).map(kind), ["outside"])
  assert.deepEqual((await placesOn(refusing)(["/w/x"])).map(kind), ["outside"])
})

test("PE-07 a root that is itself reached by a link holds what is in it, by either name", async () => {
  const items: Record<string, Item> = { "/tmp": { link: "/private/tmp" }, "/private/tmp/w": "folder" }
  const parts: Parts = { roots: () => ["/tmp/w"] }
  assert.deepEqual(await kinds(["/tmp/w/a", "/private/tmp/w/a", "/tmp/other"], items, parts), [
    "inside",
    "inside",
    "outside",
  ])
})

test("additional directories and our own temporary files are inside; a folder whose name begins like a root's is not", async () => {
  const parts: Parts = { roots: () => ["/w", "/more"] }
  const paths = ["/w", "/more/a", "/tmp/koda-1/out.txt", "/tmp/koda-2/out.txt", "/w2/a", "/dev/null"]
  assert.deepEqual(await kinds(paths, {}, parts), ["inside", "inside", "inside", "outside", "outside", "inside"])
})

test("PE-09 repositories, settings of editors and ours, hooks and start-up files are protected, at any depth", async () => {
  const paths = [
    "/w/.git/config",
    "/w/.git",
    "/w/sub/.git/hooks/x",
    "/w/.vscode/tasks.json",
    "/w/pkg/.idea/x",
    "/w/.zed/tasks.json",
    "/w/.cursor/mcp.json",
    "/w/.koda/agents/a.md",
    "/w/.kodik/agents/a.md",
    "/w/.husky/pre-commit",
    "/w/.envrc",
    "/w/.gitconfig",
    "/w/a.code-workspace",
  ]
  assert.deepEqual(
    await kinds(paths),
    paths.map(() => "protected"),
  )
  const plain = ["/w/.gitignore", "/w/.github/x", "/w/git/config", "/w/package.json", "/w/KODA.md"]
  assert.deepEqual(
    await kinds(plain),
    plain.map(() => "inside"),
  )
})

test("PE-09 a protected place has other names where a file system folds case or leaves characters out", async () => {
  const paths = [
    "/w/.GIT/config",
    "/w/.Vscode/x",
    "/w/.g\u200cit/config",
    "/w/GIT~1/config",
    "/w/.git /x",
    "/w/.git::$INDEX_ALLOCATION/x",
  ]
  assert.deepEqual(
    await kinds(paths),
    paths.map(() => "protected"),
  )
})

test("PE-09 a link to a protected place is one, and so is what is reached through a link of such a name", async () => {
  const items: Record<string, Item> = {
    "/w/g": { link: ".git" },
    "/w/.git": "folder",
    "/w/.vscode": { link: "editor" },
    "/w/editor": "folder",
  }
  assert.deepEqual(await kinds(["/w/g/config", "/w/.vscode/tasks.json"], items), ["protected", "protected"])
})

test("PE-09 the repository of a worktree is protected where it lies", async () => {
  const items: Record<string, Item> = {
    "/w/.git": { text: "gitdir: /w/repo/worktrees/one\n" },
    "/w/repo/worktrees/one/commondir": { text: "../..\n" },
    "/w/repo/config": { text: "" },
    "/w/src": "folder",
  }
  assert.deepEqual(await kinds(["/w/.git", "/w/repo/worktrees/one/HEAD", "/w/repo/config", "/w/src/a"], items), [
    "protected",
    "protected",
    "protected",
    "inside",
  ])
})

test("a workspace that lies in a folder with a protected name is not protected for that", async () => {
  const parts: Parts = { roots: () => ["/home/u/.koda/worktrees/one", "/home/u/.kodacli/w", "/home/u/.config/nvim"] }
  const paths = [
    "/home/u/.koda/worktrees/one/a",
    "/home/u/.kodacli/w/a",
    "/home/u/.config/nvim/init.lua",
    "/home/u/.kodacli/w/.vscode/x",
  ]
  assert.deepEqual(await kinds(paths, {}, parts), ["inside", "inside", "inside", "protected"])
})

test("where the home folder is the workspace, start-up files and our settings are protected, and keys are keys", async () => {
  const parts: Parts = { roots: () => ["/home/u"] }
  const paths = [
    "/home/u/.bashrc",
    "/home/u/.config/fish/config.fish",
    "/home/u/.kodacli/settings.json",
    "/home/u/.ssh/config",
    "/home/u/.kodacli/credentials.json",
    "/home/u/.kodacli/mcp_logins.json",
    "/home/u/p/.bashrc",
  ]
  assert.deepEqual(await kinds(paths, {}, parts), [
    "protected",
    "protected",
    "protected",
    "keys",
    "keys",
    "keys",
    "inside",
  ])
})

test("keys are known by where they lie, by where a link leads, and where the key store itself is a link", async () => {
  const items: Record<string, Item> = {
    "/w/k": { link: "/home/u/.ssh" },
    "/home/u/.gnupg": { link: "/vault/gnupg" },
    "/vault/gnupg": "folder",
  }
  const paths = [
    "/home/u/.ssh/id_rsa",
    "/home/u/.SSH/id_rsa",
    "/home/u/.aws",
    "/w/k/id_rsa",
    "/vault/gnupg/x",
    "/home/u/.netrc",
    "/home/u/.config/gcloud/a",
    "/home/u/.docker/config.json",
    "/proc/self/environ",
    "/proc/1/root/etc",
  ]
  assert.deepEqual(
    await kinds(paths, items),
    paths.map(() => "keys"),
  )
  assert.deepEqual(await kinds(["/w/.npmrc", "/home/u/.docker/x", "/home/u/.sshx"], items), [
    "inside",
    "outside",
    "outside",
  ])
})

test("what depends on who looks is outside, also by a link in the workspace", async () => {
  const items: Record<string, Item> = { "/w/me": { link: "/proc/self/cwd" }, "/proc/self/cwd": { link: "/w" } }
  assert.deepEqual(await kinds(["/w/me/a", "/proc/self/cwd/a", "/proc/cpuinfo"], items), ["keys", "keys", "outside"])
})

test("the folder to open for reading is the one a file is in, and never one that holds the user's home or nearly all", async () => {
  const items: Record<string, Item> = { "/usr/include/a.h": { text: "" }, "/opt/lib": "folder" }
  const paths = [
    "/usr/include/a.h",
    "/usr/include",
    "/opt/lib",
    "/etc/hosts",
    "/home/u/notes.txt",
    "/home/u/p/a",
    "/w/a",
  ]
  const folders = (await placesOn(groundWith(items))(paths)).map(({ folder }) => folder)
  assert.deepEqual(folders, ["/usr/include", "/usr/include", "/opt/lib", null, null, "/home/u/p", null])
})

test("paths of Windows are compared as Windows does", async () => {
  const ground = groundWith(
    {},
    { os: "windows", home: "C:\\Users\\u", kodaHome: "C:\\Users\\u\\.kodacli", roots: () => ["C:\\w"], ours: () => [] },
  )
  const paths = ["C:\\w\\a", "c:\\W\\a", "C:\\w\\.git\\config", "C:\\w\\..\\x", "D:\\w\\a", "C:\\Users\\u\\.ssh\\id"]
  assert.deepEqual((await placesOn(ground)(paths)).map(kind), [
    "inside",
    "inside",
    "protected",
    "outside",
    "outside",
    "keys",
  ])
})

test("PE-04 PE-06 keys are known by every way to them: up from /proc, and by letters that are one to the file system", async () => {
  const paths = [
    "/proc/../home/u/.ssh/id_rsa",
    "/proc/self/../../home/u/.ssh/id_rsa",
    "/proc/../proc/self/environ",
    "/proc/self/cwd/../home/u/.ssh/id_rsa",
    "/home/u/.\u017f\u017fh/id_rsa",
  ]
  const places = await placesOn(groundWith())(paths)
  assert.deepEqual(
    places.map(({ keys }) => keys),
    paths.map(() => true),
  )
})
