import { FileError, type Files } from "../runtime.ts"
import { splitFrontMatter } from "../text/front-matter.ts"
import { isWithin } from "../workspace/paths.ts"

/** A command as a menu shows it. */
export interface CommandText {
  readonly name: string
  readonly description: string
  /** What may follow the name. */
  readonly hint?: string
}

/** A command that a file describes. */
export interface FileCommand extends CommandText {
  /** What it asks of the model; `$ARGUMENTS` stands for what follows the name. */
  readonly words: string
}

/** Commands of every session. A file can't take their names. */
export const COMMANDS: readonly CommandText[] = [
  { name: "help", description: "Lists the commands" },
  { name: "plan", description: "Works out a plan, or carries it out", hint: "what to plan, or: implement" },
  { name: "compact", description: "Makes room by summarising the conversation" },
  { name: "init", description: "Writes KODA.md, the project's instructions for agents", hint: "what to mind" },
  { name: "model", description: "Shows the models, or chooses one", hint: "id of a model" },
  { name: "mode", description: "Shows the modes, or chooses one", hint: "code, ask, plan, debug or educator" },
  { name: "trust", description: "Lets the settings of this workspace hold" },
  {
    name: "mcp",
    description: "Shows the MCP servers, logs in to one, or starts it again",
    hint: "login, logout or restart, and a server",
  },
  { name: "agents", description: "Shows the kinds of subagent" },
  { name: "skills", description: "Shows the skills" },
  { name: "memory", description: "Shows the files of instructions of this project" },
]

/** What a prompt commands: the name and the rest of its first text. Undefined where it does not begin with a slash. */
export function splitCommand(text: string): { name: string; rest: string } | undefined {
  const [, name, rest] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text) ?? []
  return name === undefined ? undefined : { name, rest: (rest ?? "").trim() }
}

/** Where the commands of a workspace are. */
export function commandsFolder(workspace: string): string {
  return `${workspace.replace(/(?<=.)[\\/]+$/, "")}/.koda/commands`
}

/** A longer file is no command. */
const LONGEST = 100_000

/**
 * The commands that files of the workspace describe, read as words only. A link that leads out of it, or to a key, brings
 * nothing to the model.
 */
export async function readCommands(
  files: Pick<Files, "list" | "readText" | "realPath" | "stat">,
  workspace: string,
  isSecret: (path: string) => Promise<boolean>,
): Promise<FileCommand[]> {
  const folder = commandsFolder(workspace)
  const found = await files.list(folder).catch(nothingThere)
  const taken = new Set(COMMANDS.map(({ name }) => name))
  const names = found.map(({ name }) => /^(\S+)\.md$/.exec(name)?.[1]).filter((name) => name !== undefined)
  const bound = await files.realPath(workspace).catch(() => workspace)
  const leadsOut = async (path: string) => !isWithin(bound, await files.realPath(path))
  const read = await Promise.all(
    names.map(async (name) => {
      const path = `${folder}/${name}.md`
      const info = await files.stat(path).catch(() => undefined)
      if (taken.has(name) || info?.kind !== "file" || info.size > LONGEST) return undefined
      if ((await isSecret(path)) || (await leadsOut(path).catch(() => true))) return undefined
      const text = await files.readText(path).catch(() => undefined) // gone again
      return text === undefined ? undefined : commandOf(name, text)
    }),
  )
  return read.filter((command) => command !== undefined).filter(({ words }) => words !== "")
}

/** A command of a file's text: an optional header with `description` and `argument-hint`, and the words. */
export function commandOf(name: string, text: string): FileCommand {
  const split = splitFrontMatter(text)
  const { header, body } = typeof split === "string" ? { header: "", body: text.replace(/^\uFEFF/, "") } : split
  const words = body.trim()
  const hint = fieldOf(header, "argument-hint")
  return {
    name,
    description: fieldOf(header, "description") ?? firstLine(words) ?? `The command of ${name}.md`,
    ...(hint !== undefined && { hint }),
    words,
  }
}

/** What a command's words ask, with what follows its name in place. */
export function filledIn(words: string, rest: string): string {
  if (words.includes("$ARGUMENTS")) return words.replaceAll("$ARGUMENTS", () => rest)
  return rest === "" ? words : `${words}\n\n${rest}`
}

/** Headers of other agents' commands are not always YAML: a value is what stands behind its key. */
function fieldOf(header: string, key: string): string | undefined {
  const line = header.split(/\r?\n/).find((line) => line.startsWith(`${key}:`))
  const value = line?.slice(key.length + 1).trim() ?? ""
  const [, quoted] = /^"(.*)"$|^'(.*)'$/.exec(value)?.filter((part) => part !== undefined) ?? []
  return (quoted ?? value) || undefined
}

/** Characters of a description. */
const SHOWN = 100

function firstLine(words: string): string | undefined {
  const line = words
    .split("\n")
    .map((line) => line.replace(/^#+\s*/, "").trim())
    .find((line) => line !== "")
  return line === undefined || line.length <= SHOWN ? line : `${line.slice(0, SHOWN - 1)}…`
}

function nothingThere(error: unknown): [] {
  if (error instanceof FileError) return []
  throw error
}

/** What `/init` asks of the model. */
export const INIT_WORDS = `Write the file KODA.md in the project's root: what an agent must know to work well here. If there is one already, or an AGENTS.md, keep what is true in it and mend the rest.

Look first: the manifest, the README, the configuration of build, tests and linter, the folders, a few typical files. Then write, on one page at most:
- what the project is, in a sentence or two;
- the commands to install, build, test (one test, too), lint and run, as they really are;
- the map: what lies where, and how the parts hang together;
- the rules and habits that the code keeps and that can't be seen at a glance;
- what to beware of.

Only what you have seen: nothing that holds for any project, nothing made up.`

/** What `/plan implement` asks of the model. */
export function implementWords(plan: string): string {
  return `Carry out the plan now, step by step, and keep its steps true with todo_write.${plan ? `\n\n${plan}` : ""}`
}
