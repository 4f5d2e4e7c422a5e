import type { Machine } from "./machine.ts"
import { isWithin, resolvePath } from "./paths.ts"

/** Settings with which git starts nothing of a repository's own choice, and writes nothing. */
const ALWAYS: readonly Setting[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["log.showSignature", "false"],
  ...["gpg.program", "gpg.openpgp.program", "gpg.x509.program", "gpg.ssh.program"].map(
    (key): Setting => [key, "false"],
  ),
  // Git does not hand our settings on to submodules, which have their own.
  ["diff.ignoreSubmodules", "dirty"],
  ["diff.submodule", "short"],
  ["status.submoduleSummary", "false"],
]

/** A folder that only looks like a repository came with the files of another. */
const NOT_BARE: Setting = ["safe.bareRepository", "explicit"]

/** What is missing of a repository is not fetched, by whatever program. */
const OFFLINE = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none", GIT_LFS_SKIP_SMUDGE: "1" }

/** An empty program is an error to git, so that these stand in for the repository's. */
const PLAIN_DIFF = `f() { diff -u -L "a/$1" -L "b/$1" "$2" "$5"; true; }; f`
const PLAIN_TEXT = "cat"

/** Settings of a repository that name a program which reading commands of git run, or lead them elsewhere. */
const TELLING = `^(${[
  "core\\.worktree",
  "submodule\\..*\\.ignore",
  "diff\\.external",
  "diff\\..*\\.(textconv|command)",
  "filter\\..*\\.(clean|smudge|process|required)",
  "lfs\\.extension\\..*\\.(clean|smudge)", // which the user's own git-lfs would run
  "blame\\.ignorerevsfile", // of which git says the first line, whatever file it is
].join("|")})$`

/** What makes git look into submodules, each of which has settings of its own. */
const SUBMODULES = ["--null", "--name-only", "--get-regexp", "^submodule\\..*\\.ignore$"]

type Setting = readonly [key: string, value: string]

/** Where git is asked, and as whom. */
interface Asking {
  machine: Pick<Machine, "processes" | "files" | "system">
  env: Readonly<Record<string, string>>
  signal: AbortSignal
}

/**
 * The environment in which a reading git command runs no program that a repository in these folders names: no monitor,
 * hook, filter, text converter, diff or signature program, and nothing to fetch with. The user's own settings stay. Fails
 * with an Error for the model where a repository says that its files are somewhere else: they are not what was allowed.
 */
export async function quietGit(
  machine: Asking["machine"],
  folders: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const asking = { machine, env: { ...env, ...withSettings(env, ALWAYS) }, signal }
  const named = new Set((await Promise.all(folders.map((folder) => namedIn(folder, asking)))).flat())
  const settings = [...ALWAYS, NOT_BARE, ...Array.from(named, (key): Setting => [key, harmless(key)])]
  return { ...withSettings(env, settings), GIT_OPTIONAL_LOCKS: "0", ...OFFLINE }
}

function withSettings(env: Readonly<Record<string, string>>, settings: readonly Setting[]): Record<string, string> {
  const first = Number(env["GIT_CONFIG_COUNT"] ?? 0) || 0
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ])
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(first + settings.length) }
}

function harmless(key: string): string {
  if (key.endsWith(".required")) return "false" // nothing can be, where no filter runs
  if (key.startsWith("filter.")) return ""
  if (key.startsWith("lfs.")) return PLAIN_TEXT
  if (key.startsWith("submodule.")) return "dirty"
  return key.endsWith(".textconv") ? PLAIN_TEXT : PLAIN_DIFF
}

/** The settings of the repository in a folder, and of what it says of its submodules, that must be made harmless. */
async function namedIn(folder: string, asking: Asking): Promise<string[]> {
  const [ours, top] = await Promise.all([
    ask(["config", "--show-scope", "--includes", "--null", "--get-regexp", TELLING], folder, asking),
    ask(["rev-parse", "--show-toplevel"], folder, asking),
  ])
  const root = top.replace(/\n$/, "")
  const settings = settingsIn(ours)
  const theirs = settings.filter(({ isTheirs }) => isTheirs).map(({ key }) => key)
  if (theirs.includes("core.worktree")) await mustBelong(folder, root, asking)
  for (const setting of settings) if (setting.key === REVISIONS) await mustLieIn(root || folder, setting, asking)
  const keys = theirs.filter((key) => key !== "core.worktree" && key !== REVISIONS)
  if (root === "") return keys
  const modules = await Promise.all([
    ask(["config", "--file", ".gitmodules", ...SUBMODULES], root, asking),
    ask(["config", "--blob", ":.gitmodules", ...SUBMODULES], root, asking),
  ])
  return [...keys, ...modules.flatMap((names) => names.split("\0"))].filter((key) => key !== "")
}

interface Found {
  key: string
  value: string
  /** It is the repository's word, and not the user's. */
  isTheirs: boolean
}

/** What `git config --show-scope --null` prints: a scope, and a key and its value on two lines, and so on. */
function settingsIn(printed: string): Found[] {
  const fields = printed.split("\0")
  return fields.flatMap((scope, index) => {
    const [key = "", ...lines] = fields[index + 1]?.split("\n") ?? []
    if (index % 2 === 1 || key === "") return []
    return [{ key, value: lines.join("\n"), isTheirs: scope === "local" || scope === "worktree" }]
  })
}

const REVISIONS = "blame.ignorerevsfile"

/** What blame passes over is said by a file of the repository, or by one that the user has chosen. */
async function mustLieIn(root: string, { value, isTheirs }: Found, { machine }: Asking): Promise<void> {
  const { files, system } = machine
  if (!isTheirs && /^[~/]/.test(value)) return
  const real = (path: string) => files.realPath(path).catch(() => path)
  if (isWithin(await real(root), await real(resolvePath(root, value, system.home)))) return
  throw new Error(
    `This was not run: blame.ignoreRevsFile of the repository in ${root} names ${value}, which lies outside of it and which git would read.`,
  )
}

/** The files of a repository must be those around it: of a submodule, or of a work tree of its own. */
async function mustBelong(folder: string, root: string, asking: Asking): Promise<void> {
  const where = ["rev-parse", "--absolute-git-dir"]
  const [here, there] = [await ask(where, folder, asking), root === "" ? "" : await ask(where, root, asking)]
  if (here !== "" && here === there) return
  throw new Error(
    `This was not run: the repository in ${folder} says by core.worktree that its files are ${root || "somewhere else"}, which git would read.`,
  )
}

/** What git answers; nothing if it fails. */
async function ask(
  args: readonly string[],
  folder: string,
  { machine: { processes }, env, signal }: Asking,
): Promise<string> {
  const child = processes.spawn(["git", ...args], { cwd: folder, env: { ...env }, signal })
  child.exited.catch(() => {})
  const decoder = new TextDecoder()
  let text = ""
  try {
    for await (const { from, bytes } of child.output)
      if (from === "stdout") text += decoder.decode(bytes, { stream: true })
  } catch {
    return ""
  }
  return text
}
