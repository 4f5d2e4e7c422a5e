import { FileError, type Files, type FolderEntry } from "../runtime.ts"
import { fileUri } from "../text/file-uri.ts"
import { isWithin, joinPath } from "../workspace/paths.ts"
import type { Fault } from "./roles.ts"

/** What lies in a folder of definitions. */
export interface FoundFile {
  /** Of the file, without `.md`. */
  name: string
  path: string
  uri: string
  kind: FolderEntry["kind"]
  /** What is in it, or why it is not read. */
  text: string | Fault
}

/** What a folder's files must be. */
export interface FolderRules {
  /** Bytes in a file. */
  limit: number
  links: "refused" | "followed"
  /** The folder that no link may lead out of. */
  within?: string
  /** Whether a folder in it is a mistake to be told of. */
  folders: "refused" | "passed over"
}

/** The definitions in a folder, sorted by name; none if there is no folder. What is hidden or no `.md` is not looked at. */
export async function filesIn(files: Files, folder: string, rules: FolderRules): Promise<readonly FoundFile[]> {
  let entries: readonly FolderEntry[]
  try {
    entries = await files.list(folder)
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    if (error.code === "not_found" || error.code === "not_folder") return []
    const text = { line: 1, problem: `can't be read: ${error.message}` }
    return [{ name: "", path: folder, uri: fileUri(folder), kind: "folder", text }]
  }
  const { within } = rules
  if (within !== undefined && entries.length > 0 && !(await leadsWithin(files, folder, within))) {
    const text = { line: 1, problem: LEADS_OUT }
    return [{ name: "", path: folder, uri: fileUri(folder), kind: "folder", text }]
  }
  const found = entries.map(async ({ name, kind }): Promise<FoundFile[]> => {
    if (name.startsWith(".")) return []
    const path = joinPath(folder, name)
    const text = await textOf(files, path, name, kind, rules)
    return text === undefined ? [] : [{ name: name.replace(/\.md$/i, ""), path, uri: fileUri(path), kind, text }]
  })
  return (await Promise.all(found)).flat()
}

export function tooLarge(bytes: number, limit: number): string {
  return `has ${bytes.toLocaleString("en")} bytes, and may have ${limit.toLocaleString("en")}`
}

/** Undefined for what is no definition and does not look like one. */
async function textOf(
  files: Files,
  path: string,
  name: string,
  kind: FolderEntry["kind"],
  rules: FolderRules,
): Promise<string | Fault | undefined> {
  const isNamed = /\.md$/i.test(name)
  const isFolder = kind === "folder" || (kind === "link" && !isNamed && (await kindAt(files, path)) === "folder")
  if (isFolder) return rules.folders === "refused" ? fault("is a folder; put its files one folder up") : undefined
  if (!isNamed) return undefined
  if (!name.endsWith(".md")) return fault('must end in ".md"; rename it')
  if (kind === "other") return fault("is no file")
  if (kind === "link") {
    const problem = await linkProblem(files, path, rules)
    if (problem !== undefined) return fault(problem)
  }
  try {
    const { size = 0 } = (await files.stat(path)) ?? {}
    const bytes = size > rules.limit ? undefined : await files.read(path)
    if (!bytes || bytes.length > rules.limit) return fault(tooLarge(bytes?.length ?? size, rules.limit))
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof FileError) return fault(`can't be read: ${error.message}`)
    return fault("is not a text in UTF-8; save it as one")
  }
}

async function linkProblem(files: Files, path: string, { links, within }: FolderRules): Promise<string | undefined> {
  if (links === "refused") return "is a symbolic link; put the file itself here"
  const place = await files.realPath(path).catch(() => undefined)
  if (place === undefined) return "is a symbolic link that leads nowhere"
  if ((await kindAt(files, place)) !== "file") return "is a symbolic link that leads to no file"
  return within === undefined || (await leadsWithin(files, place, within)) ? undefined : LEADS_OUT
}

const LEADS_OUT = "is a symbolic link that leads out of the project"

async function leadsWithin(files: Files, path: string, folder: string): Promise<boolean> {
  const [place, within] = await Promise.all([path, folder].map((one) => files.realPath(one).catch(() => one)))
  return isWithin(within as string, place as string)
}

async function kindAt(files: Files, path: string): Promise<string | undefined> {
  return (await files.stat(path).catch(() => undefined))?.kind
}

function fault(problem: string): Fault {
  return { line: 1, problem }
}
