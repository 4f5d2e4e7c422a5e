import { FileError, type Files, type System } from "../runtime.ts"

/** As long a chain of links as systems follow. */
const MOST_LINKS = 40

/** Links that have been read, so that many paths of one folder cost as much as one. */
type SeenLinks = Map<string, Promise<string | undefined>>

/**
 * Where a path leads once every link on it is followed, as the system will follow them: `..` after a link goes up from
 * where the link leads, a link to nothing counts as what it names, and what does not exist yet is taken as it is
 * written. Undefined where it can't be told: links in a circle, and folders that can't be looked into.
 */
export async function realOf(
  path: string,
  { files, os }: { files: Pick<Files, "readLink">; os: System["os"] },
  seen: SeenLinks = new Map(),
): Promise<string | undefined> {
  const todo = namesOf(path)
  let done = rootOf(path)
  readAhead(done, todo, files, seen)
  let links = 0
  for (let name = todo.shift(); name !== undefined; name = todo.shift()) {
    // What is in here depends on who looks; up again it goes as it is written, unless that may be by one of its links.
    if (done === "/proc" && name !== "..") {
      const up = todo.indexOf("..")
      if (up < 0 || todo.slice(0, up).some((each) => MAGIC.test(each))) {
        return join(done, name, ...todo.filter((each) => each !== ".."))
      }
      if (up === 0) todo.shift()
      else {
        todo.splice(up - 1, 2)
        todo.unshift(name)
      }
      continue
    }
    if (name === "..") {
      done = done.slice(0, Math.max(rootOf(done).length, done.lastIndexOf("/")))
      continue
    }
    const at = join(done, name)
    const target = await readLink(at, files, seen)
    if (target === null) return undefined
    if (target === undefined) done = at
    else if (++links > MOST_LINKS) return undefined
    else {
      const to = slashed(target, os).replace(/^\/\/\?\//, "")
      if (isAbsolute(to)) done = rootOf(to)
      todo.unshift(...namesOf(to))
    }
  }
  return done
}

/** Names in the folder of a process that lead anywhere. */
const MAGIC = /^(?:cwd|root|exe|fd|map_files)$/

/** Has the links that are most likely met read side by side: one after another they take as long as all the rest. */
function readAhead(root: string, names: readonly string[], files: Pick<Files, "readLink">, seen: SeenLinks): void {
  let at = root
  for (const name of names) {
    if (name === ".." || at === "/proc") return
    at = join(at, name)
    void readLink(at, files, seen)
  }
}

/** Whether it is that folder, or lies in it; both as {@link realOf} gives them. */
export function isIn(folder: string, path: string, os: System["os"] = "linux"): boolean {
  const [one, other] = os === "windows" ? [folder.toLowerCase(), path.toLowerCase()] : [folder, path]
  return one === other || other.startsWith(one.endsWith("/") ? one : `${one}/`)
}

/** The names on a path with `/`, without its root and without what says nothing. */
export function namesOf(path: string): string[] {
  return path
    .slice(rootOf(path).length)
    .split("/")
    .filter((name) => name !== "" && name !== ".")
}

/** A path of any system with `/` in it, as we compare them. */
export function slashed(path: string, os: System["os"]): string {
  return os === "windows" ? path.replaceAll("\\", "/") : path
}

/** Undefined if it is no link; null if that can't be told. */
async function readLink(
  path: string,
  files: Pick<Files, "readLink">,
  seen: SeenLinks,
): Promise<string | undefined | null> {
  const reading = seen.get(path) ?? files.readLink(path)
  seen.set(path, reading)
  try {
    return await reading
  } catch (error) {
    const isNothing = error instanceof FileError && (error.code === "not_found" || error.code === "not_folder")
    return isNothing ? undefined : null
  }
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:\//.test(path)
}

/** What no `..` can leave. */
function rootOf(path: string): string {
  return /^(?:[A-Za-z]:\/?|\/)/.exec(path)?.[0] ?? ""
}

function join(folder: string, ...names: readonly string[]): string {
  return [folder.endsWith("/") ? folder.slice(0, -1) : folder, ...names].join("/")
}
