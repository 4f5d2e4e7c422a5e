import type { Files, System } from "../runtime.ts"
import { folded, isGitName, isProtectedName, isStartUp, KEYS, OUR_KEYS } from "./guarded.ts"
import { isIn, namesOf, realOf, slashed } from "./real-path.ts"

/** Where a session works, for telling what is inside. */
export interface Ground {
  readonly files: Pick<Files, "list" | "readLink" | "readText" | "stat">
  readonly os: System["os"]
  /** The user's home folder, and ours in it. */
  readonly home: string
  readonly kodaHome: string
  /** The session's folder and its additional directories. */
  roots(): readonly string[]
  /** Temporary files of our own, which count as inside. */
  ours(): readonly string[]
}

/** What is known of a path. It is judged by where it leads. */
export interface Place {
  /** As it was named. */
  path: string
  /** Once every link is followed; the path itself where that can't be told, which then is not inside. */
  real: string
  inside: boolean
  /** What is in it runs, or changes how things run. */
  protected: boolean
  /** A key, or a folder of keys. */
  keys: boolean
  /** The folder that "always" would open for reading; null for what is inside, and for one that holds too much. */
  folder: string | null
}

/** What is known of each of these paths, as things are now. Of those in `walks`, all that is in them will be read. */
export type Places = (paths: readonly string[], walks?: readonly string[]) => Promise<Place[]>

export function placesOn(ground: Ground): Places {
  let keys: Promise<readonly string[]> | undefined
  return async (paths, walks = []) => {
    if (paths.length === 0) return []
    keys ??= keysOn(ground)
    const seen = new Map<string, Promise<string | undefined>>()
    const real = (path: string) => realOf(slashed(path, ground.os), ground, seen)
    const ways = paths.map((path) => real(slashed(path, ground.os)))
    const known = await landmarks(ground, real, await keys)
    return await Promise.all(
      paths.map(async (path, index) => {
        const at = await ways[index]
        if (at === undefined) return { path, real: path, inside: false, protected: true, keys: false, folder: null }
        return {
          path,
          real: at,
          ...(await findings(slashed(path, ground.os), at, walks.includes(path), known, ground)),
        }
      }),
    )
  }
}

/** Where keys are: as they are named, and as they really are. */
async function keysOn(ground: Ground): Promise<readonly string[]> {
  const home = slashed(ground.home, ground.os)
  const kodaHome = slashed(ground.kodaHome, ground.os)
  const named = [...KEYS.map((name) => `${home}/${name}`), ...OUR_KEYS.map((name) => `${kodaHome}/${name}`)]
  const seen = new Map<string, Promise<string | undefined>>()
  const real = await Promise.all(named.map((path) => realOf(path, ground, seen)))
  return [...new Set([...named, ...real.filter((path) => path !== undefined)].map(foldedPath))]
}

interface Landmarks {
  roots: readonly string[]
  /** The roots, and as they were named. */
  namedRoots: readonly string[]
  ours: readonly string[]
  keys: readonly string[]
  homes: readonly string[]
  /** Where our own settings are, and the repositories of the roots. */
  guarded: readonly string[]
}

async function landmarks(
  ground: Ground,
  real: (path: string) => Promise<string | undefined>,
  keys: readonly string[],
): Promise<Landmarks> {
  const all = async (paths: readonly string[]) =>
    (await Promise.all(paths.map(real))).filter((path) => path !== undefined)
  const gits = Promise.all(ground.roots().map((root) => gitFoldersOf(root, ground)))
  const [roots, ours, home, kodaHome, repositories] = await Promise.all([
    all(ground.roots()),
    all(ground.ours()),
    all([ground.home]),
    all([ground.kodaHome]),
    gits.then((folders) => all(folders.flat())),
  ])
  return {
    roots,
    namedRoots: [...roots, ...ground.roots().map((root) => slashed(root, ground.os))],
    ours,
    keys,
    homes: [slashed(ground.home, ground.os), ...home],
    guarded: [...kodaHome, ...repositories],
  }
}

/** Where the repository of a root is: its `.git` may be a link, or a file that names another folder. */
async function gitFoldersOf(root: string, { files }: Ground): Promise<string[]> {
  const path = `${root}/.git`
  const info = await files.stat(path).catch(() => undefined)
  if (info?.kind === "folder") return [path]
  if (info?.kind !== "file" || info.size > 4096) return []
  const named = /^gitdir: *(.+?)\s*$/m.exec(await files.readText(path).catch(() => ""))?.[1]
  if (!named) return []
  const folder = from(root, named)
  const common = (await files.readText(`${folder}/commondir`).catch(() => "")).trim()
  return common ? [folder, from(folder, common)] : [folder]
}

function from(folder: string, path: string): string {
  return /^(?:[\\/]|[A-Za-z]:)/.test(path) ? path : `${folder}/${path}`
}

async function findings(
  path: string,
  real: string,
  walks: boolean,
  known: Landmarks,
  ground: Ground,
): Promise<Omit<Place, "path" | "real">> {
  const within = (folders: readonly string[]) => folders.some((folder) => isIn(folder, real, ground.os))
  if (real === "/dev/null" || within(known.ours)) return { inside: true, protected: false, keys: false, folder: null }
  const inside = within(known.roots)
  const reachesKeys = walks && !inside && known.keys.some((key) => isIn(foldedPath(real), key))
  const keys = reachesKeys || isKey(path, real, known)
  const folder = inside || keys ? null : await folderOf(real, known, ground)
  return { inside, protected: isProtected(path, real, known, ground), keys, folder }
}

function isKey(path: string, real: string, { keys }: Landmarks): boolean {
  const names = namesOf(real)
  // What a process was started with, and all that it can reach.
  if (names[0] === "proc" && /^(?:environ|mem|maps|fd|root|cwd|map_files|task)$/.test(names[2] ?? "")) return true
  const ways = [foldedPath(path), foldedPath(real)]
  return keys.some((key) => ways.some((way) => isIn(key, way)))
}

function isProtected(path: string, real: string, { namedRoots, homes, guarded }: Landmarks, { os }: Ground): boolean {
  const ways = [path, real]
  if (ways.some((way) => namesOf(way).some(isGitName))) return true
  // A workspace that lies in such a folder was chosen by the user.
  const rootOf = (way: string) =>
    namedRoots.filter((root) => isIn(root, way, os)).sort((a, b) => b.length - a.length)[0]
  const root = rootOf(real)
  const leavesOut = (folder: string) => root !== undefined && root !== folder && isIn(folder, root, os)
  if (guarded.some((folder) => isIn(folder, real, os) && !leavesOut(folder))) return true
  if (homes.some((home) => isIn(home, real, os) && !leavesOut(home) && isStartUp(below(home, real)))) return true
  return ways.some((way) => below(rootOf(way) ?? "", way).some(isProtectedName))
}

function below(folder: string, path: string): string[] {
  return namesOf(path).slice(namesOf(folder).length)
}

/** The folder to open for reading when this is: not one that holds the user's home, or nearly all there is. */
async function folderOf(real: string, { homes }: Landmarks, { files, os }: Ground): Promise<string | null> {
  const info = await files.stat(real).catch(() => undefined)
  const folder = info?.kind === "folder" ? real : real.slice(0, Math.max(1, real.lastIndexOf("/")))
  const holdsTooMuch = namesOf(folder).length < 2 || homes.some((home) => isIn(folder, home, os))
  return holdsTooMuch || namesOf(folder)[0] === "proc" ? null : folder
}

function foldedPath(path: string): string {
  return `/${namesOf(path).map(folded).join("/")}`
}
