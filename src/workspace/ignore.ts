import { FileError, type Files } from "../runtime.ts"
import { type IgnoreRule, ignoreRules, ruling } from "../text/ignore-rules.ts"
import { isWithin, joinPath, nameOf, parentOf, pathWithin } from "./paths.ts"

/** What is left out of listings and searches in a folder: our own ignore files have the last word over git's. */
export interface Rules {
  readonly own: readonly Level[]
  readonly git: readonly Level[]
}

/** The rules that one folder adds. */
interface Level {
  readonly folder: string
  readonly lines: readonly IgnoreRule[]
}

const NO_RULES: Rules = { own: [], git: [] }

/** Nobody looks for anything in these. */
const VERSION_CONTROL = new Set([".git", ".hg", ".svn", ".jj"])

const OWN = [".kodaignore", ".kodikignore"]
const NAMES = [".git", ".gitignore", ...OWN]

export function isVersionControl(name: string): boolean {
  return VERSION_CONTROL.has(name)
}

/** Whether the rules of the folder it is in leave it out. */
export function isIgnored({ own, git }: Rules, path: string, kind: "file" | "folder"): boolean {
  return verdict(own, path, kind) ?? verdict(git, path, kind) ?? false
}

/**
 * The rules that reach a folder from those around it, from the top of its repository down. Undefined if they leave out the
 * folder itself: then it was named on purpose, and nothing in it is ignored.
 */
export async function rulesAround(files: Files, folder: string, roots: readonly string[]): Promise<Rules | undefined> {
  let rules = NO_RULES
  for (const each of await foldersFromTop(files, folder, roots)) {
    if (isIgnored(rules, each, "folder")) {
      if (!roots.some((root) => isWithin(each, root))) return undefined
      rules = NO_RULES // the workspace is in what something around it ignores
    }
    if (each !== folder) rules = await rulesIn(files, rules, each, await namesIn(files, each))
  }
  return rules
}

/** The rules in force in a folder: those around it, and what the ignore files among the names in it say. */
export async function rulesIn(files: Files, around: Rules, folder: string, names: readonly string[]): Promise<Rules> {
  const repository = names.includes(".git")
  const outer = repository ? [] : around.git // a repository in another is a world of its own
  const git = [
    ...(repository ? await excludes(files, folder) : []),
    ...(names.includes(".gitignore") ? [joinPath(folder, ".gitignore")] : []),
  ]
  const own = OWN.filter((name) => names.includes(name)).map((name) => joinPath(folder, name))
  if (git.length === 0 && own.length === 0) return repository ? { ...around, git: outer } : around
  return {
    own: own.length > 0 ? [await level(files, folder, own), ...around.own] : around.own,
    git: git.length > 0 ? [await level(files, folder, git), ...outer] : outer,
  }
}

/** The nearest folder that says anything decides. */
function verdict(levels: readonly Level[], path: string, kind: "file" | "folder"): boolean | undefined {
  for (const { folder, lines } of levels) {
    const within = pathWithin(folder, path)
    const said = within ? ruling(lines, within, kind) : undefined
    if (said !== undefined) return said
  }
  return undefined
}

async function level(files: Files, folder: string, paths: readonly string[]): Promise<Level> {
  const texts = await Promise.all(paths.map((path) => readIfThere(files, path)))
  return { folder, lines: texts.flatMap(ignoreRules) }
}

async function foldersFromTop(files: Files, folder: string, roots: readonly string[]): Promise<string[]> {
  const above = [folder]
  while (parentOf(above[0]!) !== above[0]) above.unshift(parentOf(above[0]!))
  const repositories = await Promise.all(above.map((each) => exists(files, joinPath(each, ".git"))))
  const tops = [repositories.lastIndexOf(true), above.findIndex((each) => roots.includes(each)), above.length - 1]
  return above.slice(Math.min(...tops.filter((at) => at >= 0)))
}

async function namesIn(files: Files, folder: string): Promise<string[]> {
  const there = await Promise.all(NAMES.map((name) => exists(files, joinPath(folder, name))))
  return NAMES.filter((_, at) => there[at])
}

/** Where git keeps the rules that are not in the tree; in a linked worktree `.git` is a file that says where. */
async function excludes(files: Files, repository: string): Promise<string[]> {
  const git = joinPath(repository, ".git")
  if ((await stat(files, git))?.kind !== "file") return [joinPath(git, "info", "exclude")]
  const linked = /^gitdir: (.+?)\s*$/m.exec(await readIfThere(files, git))?.[1]
  const common = linked && nameOf(parentOf(linked)) === "worktrees" ? parentOf(parentOf(linked)) : linked
  return common?.startsWith("/") ? [joinPath(common, "info", "exclude")] : []
}

async function exists(files: Files, path: string): Promise<boolean> {
  return (await stat(files, path)) !== undefined
}

/** What can't be looked at counts as not there. */
function stat(files: Files, path: string): ReturnType<Files["stat"]> {
  return files.stat(path).catch((error) => answered(error, undefined))
}

async function readIfThere(files: Files, path: string): Promise<string> {
  const info = await stat(files, path)
  if (info?.kind !== "file" || info.size > LARGEST) return ""
  return await files.readText(path).catch((error) => answered(error, ""))
}

/** Bytes. What is larger was not written to be read line by line for each file. */
const LARGEST = 1_000_000

function answered<T>(error: unknown, instead: T): T {
  if (error instanceof FileError) return instead
  throw error
}
