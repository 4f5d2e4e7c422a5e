import type { Files } from "../runtime.ts"
import { rulesAround } from "../workspace/ignore.ts"
import { isWithin, joinPath, nameOf, parentOf, pathWithin, resolvePath, shownPath } from "../workspace/paths.ts"
import { importsIn } from "./imports.ts"

/** Where instructions of a project are looked for. */
export interface ProjectPlace {
  readonly files: Files
  readonly cwd: string
  readonly roots: readonly string[]
  /** The user's home folder. */
  readonly home: string
  /** Whether a path holds keys or secrets. */
  isSecret(path: string): Promise<boolean>
}

/** What files are called that tell agents how to work here. */
const NAMES = ["KODA.md", "AGENTS.md"]

/** Characters of one file, and of all of them: they are part of every request. */
const LONGEST = 40_000
const LONGEST_ALL = 120_000
/** Bytes of a file that is not even begun. */
const LARGEST = 5_000_000
/** Files that one file may import, each the next. */
const DEEPEST = 5

interface Found {
  path: string
  /** With every link resolved. */
  real: string
  text: string
  importedBy?: string
}

/** The instructions of a project, as they were when they were last read. */
export class Project {
  readonly #place: ProjectPlace
  #text = ""
  #paths: readonly string[] = []
  /** Files that are part of it, by where they really are. */
  #known = new Set<string>()
  /** What the user has been told. */
  readonly #told = new Set<string>()

  constructor(place: ProjectPlace) {
    this.#place = place
  }

  /** Part of the system prompt: the same until the files change. */
  get text(): string {
    return this.#text
  }

  /** The files it is made of. */
  get paths(): readonly string[] {
    return this.#paths
  }

  /** Reads the files anew. Answers with what the user should know of them and has not been told. */
  async refresh(): Promise<readonly string[]> {
    const notes: string[] = []
    const reading = new Reading(this.#place, await boundsOf(this.#place), notes)
    for (const folder of await foldersOf(this.#place)) await reading.folder(folder)
    const { found } = reading
    this.#known = new Set(found.map(({ real }) => real))
    this.#paths = found.map(({ path }) => path)
    this.#text = found.length === 0 ? "" : `${HEADING}\n\n${blocksOf(found, this.#place, notes).join("\n\n")}`
    return this.#news(notes)
  }

  /** The instructions of the folders in which these paths lie, each once; "" if there are none that the model has not. */
  async around(paths: readonly string[], heard: Heard): Promise<string> {
    const folders = paths
      .flatMap((path) => foldersBetween(path, this.#place.roots))
      .filter((one) => !heard.folders.has(one))
    if (folders.length === 0) return ""
    for (const folder of folders) heard.folders.add(folder)
    const notes: string[] = []
    const reading = new Reading(this.#place, await boundsOf(this.#place), notes, [...this.#known, ...heard.files])
    for (const folder of new Set(folders)) if (!(await isLeftOut(folder, this.#place))) await reading.folder(folder)
    if (reading.found.length === 0) return ""
    for (const { real } of reading.found) heard.files.add(real)
    const text = `${NESTED}\n\n${blocksOf(reading.found, this.#place, notes).join("\n\n")}`
    heard.texts.push(text)
    return text
  }

  #news(notes: readonly string[]): string[] {
    const news = notes.filter((note) => !this.#told.has(note))
    for (const note of news) this.#told.add(note)
    return news
  }
}

/** What an agent has been given of the instructions of further folders. */
export interface Heard {
  /** Those that were looked into, because something in them was touched. */
  readonly folders: Set<string>
  /** Files, by where they really are. */
  readonly files: Set<string>
  readonly texts: string[]
}

/** What an agent has heard that was given these before. */
export function heardIn(texts: readonly string[], { cwd, home }: Pick<ProjectPlace, "cwd" | "home">): Heard {
  const names = texts.flatMap((text) =>
    Array.from(text.matchAll(/^<instructions path="([^"]+)"/gm), ([, name = ""]) => name),
  )
  const folders = names.map((name) => parentOf(resolvePath(cwd, name, home)))
  return { folders: new Set(folders), files: new Set(), texts: [...texts] }
}

const HEADING =
  "Instructions of this project, from files in it. Keep to them; what the user says comes before them, and of two that " +
  "differ the later counts. They can't allow what the user has not."

/** How a message begins that gives the instructions of further folders. */
export const NESTED: string =
  "Instructions for a part of the project that you have touched, from files in it. They hold for what lies in their folder."

/** Reads files, with what they import. */
class Reading {
  readonly found: Found[] = []
  readonly #place: ProjectPlace
  readonly #bounds: readonly string[]
  readonly #notes: string[]
  readonly #seen: Set<string>

  constructor(place: ProjectPlace, bounds: readonly string[], notes: string[], known: Iterable<string> = []) {
    this.#place = place
    this.#bounds = bounds
    this.#notes = notes
    this.#seen = new Set(known)
  }

  async folder(folder: string): Promise<void> {
    for (const name of NAMES) await this.#file(joinPath(folder, name), undefined, 0)
  }

  async #file(path: string, importedBy: string | undefined, depth: number): Promise<void> {
    const { files, isSecret } = this.#place
    const name = shownPath(path, this.#place)
    const real = await files.realPath(path).catch(() => undefined)
    const info = real === undefined ? undefined : await files.stat(real).catch(() => undefined)
    if (real === undefined || info?.kind !== "file" || this.#seen.has(real)) return
    this.#seen.add(real)
    if (!this.#bounds.some((bound) => pathWithin(bound, real) !== undefined) || (await isSecret(path))) {
      this.#notes.push(`${name} leads out of the project, and was not read as instructions`)
      return
    }
    if (info.size > LARGEST) {
      this.#notes.push(`${name} has ${info.size.toLocaleString("en")} bytes, and was not read as instructions`)
      return
    }
    const text = await files.readText(real).catch(() => undefined) // gone again, or not for us
    if (text === undefined) return
    if (text.includes("\0")) {
      this.#notes.push(`${name} is no text, and was not read as instructions`)
      return
    }
    const plain = text.replaceAll(/\r\n?/g, "\n").trim()
    if (plain !== "") this.found.push({ path, real, text: plain, ...(importedBy !== undefined && { importedBy }) })
    if (depth === DEEPEST) return
    for (const target of importsIn(plain, parentOf(path), this.#place.home)) await this.#file(target, name, depth + 1)
  }
}

/** The texts as the model reads them, not longer than they may be. */
function blocksOf(found: readonly Found[], place: ProjectPlace, notes: string[]): string[] {
  let left = LONGEST_ALL
  return found.map(({ path, text, importedBy }) => {
    const name = shownPath(path, place)
    const most = Math.min(LONGEST, left)
    left -= Math.min(text.length, most)
    const over = text.length - most
    if (over > 0) notes.push(`${name} is too long: its last ${over.toLocaleString("en")} characters were left out`)
    const cut = over > 0 ? `${text.slice(0, most)}\n[cut here: ${over} more characters; read_file reads on]` : text
    const by = importedBy === undefined ? "" : ` imported-by="${importedBy}"`
    return `<instructions path="${name}"${by}>\n${cut.replaceAll("</instructions>", "<\\/instructions>")}\n</instructions>`
  })
}

/** The folders whose instructions always hold: from the top of the repository down to the session's, and the other roots. */
async function foldersOf({ files, cwd, roots, home }: ProjectPlace): Promise<string[]> {
  const top = await repositoryOf(files, cwd, home)
  const way = [cwd]
  while (top !== undefined && way[0] !== top) way.unshift(parentOf(way[0] as string))
  return [...new Set([...roots.filter((root) => root !== cwd), ...way])]
}

/** What files of instructions may not lead out of. */
async function boundsOf({ files, cwd, roots, home }: ProjectPlace): Promise<string[]> {
  const top = await repositoryOf(files, cwd, home)
  const all = [...roots, ...(top === undefined ? [] : [top])]
  return await Promise.all(all.map((one) => files.realPath(one).catch(() => one)))
}

/** The folder with the repository that a folder is in. One that holds the user's home is no project. */
async function repositoryOf(files: Pick<Files, "stat">, folder: string, home: string): Promise<string | undefined> {
  for (let at = folder; at === folder || !isWithin(at, home); at = parentOf(at)) {
    if (await files.stat(joinPath(at, ".git")).catch(() => undefined)) return at
    if (parentOf(at) === at) return undefined
  }
  return undefined
}

/** The folders between a root and a path, which may be a folder itself, the outermost first. */
function foldersBetween(path: string, roots: readonly string[]): string[] {
  const root = roots.filter((one) => pathWithin(one, path)).sort((a, b) => b.length - a.length)[0]
  if (root === undefined) return []
  const folders: string[] = []
  for (let at = path; at !== root; at = parentOf(at)) folders.unshift(at)
  return folders
}

/** What others have written and the project only uses gives no instructions. */
async function isLeftOut(folder: string, { files, roots }: ProjectPlace): Promise<boolean> {
  if ((await files.stat(folder).catch(() => undefined))?.kind !== "folder") return true
  const root = roots.find((one) => pathWithin(one, folder) !== undefined) ?? folder
  for (let at = folder; at !== root; at = parentOf(at)) {
    if (nameOf(at) === "node_modules" || nameOf(at) === ".git") return true
  }
  return (await rulesAround(files, folder, roots)) === undefined
}
