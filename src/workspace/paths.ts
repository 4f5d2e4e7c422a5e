import { visible } from "../text/visible.ts"

/** The absolute path that a model or user means: relative to a folder, from home (`~`), or as a `file:` address. */
export function resolvePath(folder: string, path: string, home: string): string {
  if (path.startsWith("file://")) return normal(fromFileUrl(path))
  if (path === "~" || path.startsWith("~/") || path.startsWith("~\\")) return normal(`${home}/${path.slice(1)}`)
  return isAbsolute(path) ? normal(path) : normal(`${folder}/${path}`)
}

export function isAbsolute(path: string): boolean {
  return path.startsWith("/") || path.startsWith("\\\\") || DRIVE.test(path)
}

/** Joins a folder and what lies in it, which may not lead out by `..`. */
export function joinPath(folder: string, ...names: readonly string[]): string {
  const separator = separatorOf(folder)
  return [folder.replace(/[\\/]+$/, ""), ...names].join(separator)
}

/** The folder something is in; the root's is the root. */
export function parentOf(path: string): string {
  const separator = separatorOf(path)
  const end = path.lastIndexOf(separator)
  const root = rootOf(path)
  return end < root.length ? root : path.slice(0, end)
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(separatorOf(path)) + 1)
}

/** Whether it is that folder, or lies in it, as the paths are written. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(withSlash(folder))
}

/** The way from a folder to what lies in it, with `/`; `""` for the folder itself, undefined for what is outside. */
export function pathWithin(folder: string, path: string): string | undefined {
  if (path === folder) return ""
  if (!isWithin(folder, path)) return undefined
  return path.slice(withSlash(folder).length).replaceAll(separatorOf(path), "/")
}

/** A path as people like to read it: from the workspace's folder, else from home, else whole. */
export function shownPath(path: string, place: { cwd: string; home: string }): string {
  const inside = pathWithin(place.cwd, path)
  if (inside !== undefined) return shownName(inside || ".")
  const atHome = pathWithin(place.home, path)
  return shownName(atHome === undefined ? path : `~/${atHome}`)
}

/** A name in the midst of others: in quotes where its ends, or its being one line, could not be told. */
export function shownName(name: string): string {
  return /^\s|\s$|[\p{Cc}\u2028\u2029]/u.test(name) ? visible(JSON.stringify(name)) : name
}

const DRIVE = /^[A-Za-z]:[\\/]/

function separatorOf(path: string): "/" | "\\" {
  return DRIVE.test(path) || path.startsWith("\\\\") ? "\\" : "/"
}

function withSlash(folder: string): string {
  const separator = separatorOf(folder)
  return folder.endsWith(separator) ? folder : folder + separator
}

/** What no `..` can leave: `/`, `C:\` or `\\server\share\`. */
function rootOf(path: string): string {
  return /^(?:[A-Za-z]:[\\/]|\\\\[^\\/]+[\\/][^\\/]+[\\/]?|\/)/.exec(path)?.[0] ?? ""
}

/** Without `.`, `..`, doubled and trailing separators. */
function normal(path: string): string {
  const separator = separatorOf(path)
  const root = rootOf(path)
  const kept: string[] = []
  for (const name of path.slice(root.length).split(separator === "\\" ? /[\\/]+/ : /\/+/)) {
    if (name === "..") kept.pop()
    else if (name !== "" && name !== ".") kept.push(name)
  }
  return root.replaceAll(/[\\/]/g, separator) + kept.join(separator)
}

/** What is no address, or a stray percent sign in one, is taken as it is written: the name of a file may be so. */
function fromFileUrl(url: string): string {
  const said = URL.canParse(url) ? new URL(url).pathname : `/${url.slice("file://".length)}`
  let path = said
  try {
    path = decodeURIComponent(said)
  } catch {}
  return DRIVE.test(path.slice(1)) ? path.slice(1) : path
}
