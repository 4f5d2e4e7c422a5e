import { FileError, type Files } from "../runtime.ts"
import { readTexts, splitFrontMatter } from "../text/front-matter.ts"
import { joinPath, pathWithin } from "../workspace/paths.ts"

/** Something that the agent can learn when it needs it. */
export interface Skill {
  readonly name: string
  readonly description: string
  /** Of its `SKILL.md`. */
  readonly path: string
  readonly folder: string
}

export interface SkillsFound {
  readonly skills: readonly Skill[]
  /** What can't be used, each with its file. */
  readonly faults: readonly string[]
}

/** A folder of skills. `within` is what links in it may not lead out of. */
export interface SkillsFolder {
  readonly folder: string
  readonly within?: string
}

/** Bytes of a SKILL.md. */
const LARGEST = 200_000
/** Skills and characters of a description that are told of in every request. */
const MOST = 100
const LONGEST = 400

/** The skills in these folders; of two with one name the first counts. One that can't be read costs only itself. */
export async function readSkills(
  files: Files,
  folders: readonly SkillsFolder[],
  isSecret: (path: string) => Promise<boolean>,
): Promise<SkillsFound> {
  const found = await Promise.all(folders.map((folder) => skillsIn(files, folder, isSecret)))
  const skills = new Map<string, Skill>()
  const faults: string[] = []
  for (const one of found.flat()) {
    if (typeof one === "string") faults.push(one)
    else if (!skills.has(one.name)) skills.set(one.name, one)
  }
  const all = [...skills.values()]
  if (all.length > MOST) faults.push(`There are ${all.length} skills; the first ${MOST} can be used`)
  return { skills: all.slice(0, MOST), faults }
}

/** What the model is told of them; "" if there are none. */
export function skillsText(skills: readonly Skill[]): string {
  if (skills.length === 0) return ""
  const lines = skills.map(({ name, description }) => `- ${name}: ${description}`)
  return ["Skills: when a task fits one, activate it with `activate_skill` before you begin.", ...lines].join("\n")
}

/** The words of a skill, as they are now. */
export async function wordsOfSkill(files: Files, { path }: Skill, signal: AbortSignal): Promise<string> {
  const text = (await files.readText(path, signal)).replaceAll("\r\n", "\n")
  const split = splitFrontMatter(text)
  return (typeof split === "string" ? text : split.body).trim()
}

async function skillsIn(
  files: Files,
  { folder, within }: SkillsFolder,
  isSecret: (path: string) => Promise<boolean>,
): Promise<(Skill | string)[]> {
  const entries = await files.list(folder).catch(nothingThere)
  const read = entries.map(async ({ name, kind }) => {
    if (name.startsWith(".") || kind === "file" || kind === "other") return []
    const skill = await skillAt(files, joinPath(folder, name), name, within, isSecret).catch((error: unknown) => {
      return `${joinPath(folder, name, "SKILL.md")}: can't be read: ${error instanceof Error ? error.message : error}`
    })
    return skill === undefined ? [] : [skill]
  })
  return (await Promise.all(read)).flat()
}

/** Undefined if the folder is none of a skill; a text says what is wrong. */
async function skillAt(
  files: Files,
  folder: string,
  folderName: string,
  within: string | undefined,
  isSecret: (path: string) => Promise<boolean>,
): Promise<Skill | string | undefined> {
  const path = joinPath(folder, "SKILL.md")
  const info = await files.stat(path).catch(() => undefined)
  if (info?.kind !== "file") return undefined
  const wrong = (what: string) => `${path}: ${what}; this skill is left out`
  const bound = within === undefined ? undefined : await files.realPath(within)
  const leadsOut = bound !== undefined && pathWithin(bound, await files.realPath(path)) === undefined
  if (leadsOut || (await isSecret(path))) return wrong("leads out of the project")
  if (info.size > LARGEST)
    return wrong(`has ${info.size.toLocaleString("en")} bytes, and may have ${LARGEST.toLocaleString("en")}`)
  const split = splitFrontMatter(await files.readText(path))
  if (typeof split === "string") return wrong('must begin with a header between two lines of "---"')
  const said = await readTexts(split.header, ["name", "description"])
  const textAt = (key: string) => said.get(key)?.replaceAll(/\s+/g, " ").trim() || undefined
  const name = textAt("name") ?? folderName
  const description = textAt("description")
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._:-]{0,63}$/u.test(name)) return wrong(`"name" must be one word, not "${name}"`)
  if (description === undefined) return wrong('its header needs a "description" that says when it is of use')
  if (split.body.trim() === "") return wrong("says nothing below its header")
  const short = description.length > LONGEST ? `${description.slice(0, LONGEST - 1)}…` : description
  return { name, description: short, path, folder }
}

function nothingThere(error: unknown): [] {
  if (error instanceof FileError) return []
  throw error
}
