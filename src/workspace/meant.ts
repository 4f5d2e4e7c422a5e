import { similarNames } from "../text/similar.ts"
import { joinPath, nameOf, parentOf, pathWithin, resolvePath, shownPath } from "./paths.ts"
import type { Workspace } from "./workspace.ts"

/**
 * The absolute path that somebody means. Where nothing has that very name, what has the same in other characters is meant:
 * an accented letter can be one or two, and few can tell what a name on the disk is made of.
 */
export async function meantPath(workspace: Workspace, said: string, folder: string = workspace.cwd): Promise<string> {
  const path = resolvePath(folder, said, workspace.home)
  return /[^\x00-\x7f]/.test(path) ? spelledAs(workspace, path) : path
}

async function spelledAs(workspace: Workspace, path: string): Promise<string> {
  const folder = parentOf(path)
  if (folder === path || (await exists(workspace, path))) return path
  const parent = await spelledAs(workspace, folder)
  const name = nameOf(path)
  const same = (await namesIn(workspace, parent)).filter((each) => each.normalize() === name.normalize())
  return joinPath(parent, same.length === 1 ? same[0]! : name)
}

/** What there is in place of what is not there; if nothing is like it, what to do. */
export async function nearWords(
  workspace: Workspace,
  path: string,
  otherwise: string = "Look for it with glob.",
): Promise<string> {
  const target = await workspace.files.readLink(path).catch(() => undefined)
  if (target !== undefined) return `It is a link that leads nowhere, to ${target}.`
  const near = [...new Set([...(await inside(workspace, path)), ...(await alike(workspace, path))])]
  if (near.length > 0) return `Did you mean ${near.map((each) => shownPath(each, workspace)).join(", ")}?`
  const folder = parentOf(path)
  const info = await workspace.files.stat(folder).catch(() => undefined)
  const name = shownPath(folder, workspace)
  if (info && info.kind !== "folder") return `${name} is no folder.`
  return info || otherwise === "" ? otherwise : `Nor is there a folder ${name}. ${otherwise}`
}

/** What is called like the end of the path in the workspace: others begin their paths further up, or elsewhere. */
async function inside(workspace: Workspace, path: string): Promise<string[]> {
  const names = (pathWithin(workspace.cwd, path) ?? path).split(/[\\/]/).filter((name) => name !== "")
  for (let at = 1; at < Math.min(names.length, MOST_LEFT_OUT); at++) {
    if (at === names.length - 1 && names[at - 1] !== nameOf(workspace.cwd)) break // one name alone says too little
    const there = joinPath(workspace.cwd, ...names.slice(at))
    if (await exists(workspace, there)) return [there]
  }
  return []
}

/** Names at the beginning of a path that may be wrong. */
const MOST_LEFT_OUT = 10

/** Paths whose last or whose missing folder's name is nearly the same. */
async function alike(workspace: Workspace, path: string): Promise<string[]> {
  const below: string[] = []
  for (let at = path; parentOf(at) !== at; at = parentOf(at)) {
    const folder = parentOf(at)
    if (await exists(workspace, folder)) {
      const others = (await namesIn(workspace, folder)).filter((name) => name !== nameOf(at))
      const near = similarNames(nameOf(at), others).map((name) => joinPath(folder, name, ...below))
      const there = await Promise.all(near.map((each) => exists(workspace, each)))
      return near.filter((_, each) => there[each])
    }
    below.unshift(nameOf(at))
  }
  return []
}

async function exists({ files }: Workspace, path: string): Promise<boolean> {
  return (await files.stat(path).catch(() => undefined)) !== undefined
}

async function namesIn({ files }: Workspace, folder: string): Promise<string[]> {
  const entries = await files.list(folder).catch(() => [])
  return entries.map(({ name }) => name)
}
