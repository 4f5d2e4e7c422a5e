import type { Script, SyntaxNode } from "unbash"
import { namesIn } from "./shell-names.ts"
import { openedBy } from "./shell-programs.ts"
import { rulesOf } from "./shell-rules.ts"
import { type Folders, type Simple, simplesOf } from "./shell-structure.ts"
import { ANY, NotPlain, type ShellWord } from "./shell-words.ts"

/** What a command does, as far as its text tells. Paths are absolute, and links and `..` in them not resolved. */
export type CommandFacts =
  | {
      reading: true
      reads: readonly string[]
      /** Folders of which it reads all that is in them. */
      walks: readonly string[]
      /** Words of which the text doesn't tell what they stand for. */
      unresolved: readonly string[]
    }
  | {
      reading: false
      /** Ends a sentence that begins with "the command". */
      why: string
      programs: readonly string[]
      /** Words that look like paths; only a guess at what it touches. */
      names: readonly string[]
      /** What must be allowed for it to run without a question; null if nothing but an answer will do. */
      rules: readonly string[] | null
    }

/** A longer command is not looked into. */
const MOST_CHARACTERS = 20_000

/** Looks at a command that will be run by bash or sh in a folder. */
export async function inspectCommand(command: string, folder: string, home: string): Promise<CommandFacts> {
  const unread = { reading: false, programs: [], names: namesIn([command], folder, home), rules: null } as const
  if (command.length > MOST_CHARACTERS) return { ...unread, why: "is too long to be looked into" }
  // Control characters mean different things to different shells.
  if (/[\0-\x08\x0b-\x1f\x7f]/.test(command)) return { ...unread, why: "has control characters in it" }
  const { parse, forEachChild } = await import("unbash")
  const script = parse(command)
  if (script.errors?.length) return { ...unread, why: "is not written as a shell understands it" }
  try {
    const simples = simplesOf(script, folder, home)
    try {
      return readingOf(simples, folder)
    } catch (error) {
      if (!(error instanceof NotPlain)) throw error
      const said = wordsIn(script, forEachChild)
      const names = namesIn([command, ...said.words], folder, home)
      return { reading: false, why: error.message, programs: said.programs, names, rules: rulesOf(simples) }
    }
  } catch (error) {
    if (!(error instanceof NotPlain)) throw error
    const said = wordsIn(script, forEachChild)
    const names = namesIn([command, ...said.words], folder, home)
    return { reading: false, why: error.message, programs: said.programs, names, rules: null }
  }
}

/** What "always" would remember of a command, as people read it: `npm test`. Null if it can only be allowed once. */
export async function whatToRemember(command: string): Promise<string | null> {
  const facts = await inspectCommand(command, "/", "/")
  if (facts.reading || facts.rules === null) return null
  const [rule, ...more] = new Set(facts.rules)
  return rule === undefined || more.length > 0 ? null : rule
}

function readingOf(simples: readonly Simple[], folder: string): CommandFacts {
  const reads = new Set([folder])
  const walks = new Set<string>()
  const unresolved = new Set<string>()
  for (const { program, args, folders } of simples) {
    const opened = openedBy(program, args)
    for (const word of opened.unknown) if (!isPrintable(program, word)) unresolved.add(word.text)
    for (const path of opened.paths) place(path, folders, opened.walks ? [reads, walks] : [reads], walks, unresolved)
    if (opened.walks && opened.paths.length === 0) place(HERE, folders, [walks], walks, unresolved)
  }
  return { reading: true, reads: [...reads], walks: [...walks], unresolved: [...unresolved] }
}

const HERE: ShellWord = { type: "plain", text: "." }

/** Adds where a word leads, from every folder it may be meant from. */
function place(
  word: ShellWord,
  folders: Folders,
  into: readonly Set<string>[],
  walks: Set<string>,
  unresolved: Set<string>,
): void {
  if (word.type === "variable") return void unresolved.add(word.text)
  const written = word.type === "plain" ? word.text : prefixOf(word)
  if (written === undefined) return void unresolved.add(word.text)
  const sets = word.type === "glob" ? [...into, walks] : into
  if (written.startsWith("/")) for (const set of sets) set.add(written)
  else {
    for (const folder of folders) {
      if (folder === undefined) unresolved.add(written)
      else for (const set of sets) set.add(written === "." ? folder : `${folder}/${written}`)
    }
  }
}

/** The folder that a glob looks in first; undefined if it may lead out of it again. */
function prefixOf({ prefix, pattern }: Extract<ShellWord, { type: "glob" }>): string | undefined {
  const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1)
  const rest = pattern.slice(folder.length).split("/")
  const leadsOut = rest.some((name) => name === ".." || name.startsWith(`.${ANY}`))
  if (leadsOut) return undefined
  return folder === "" ? "." : folder
}

/** Variables that tell nobody's secrets. */
const PRINTABLE: ReadonlySet<string> = new Set([
  "?",
  "#",
  "$",
  "PWD",
  "PATH",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "TERM",
])

function isPrintable(program: string, word: ShellWord): boolean {
  const prints = program === "echo" || program === "printf"
  return prints && word.type === "variable" && word.names.every((name) => PRINTABLE.has(name))
}

interface Said {
  programs: readonly string[]
  words: readonly string[]
}

/** The programs a script names anywhere, and all words of it without their quotes. */
function wordsIn(script: Script, forEachChild: (node: SyntaxNode, visit: (child: SyntaxNode) => void) => void): Said {
  const programs = new Set<string>()
  const words: string[] = []
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command" && node.name) programs.add(node.name.value)
    if (node.type === "Word") words.push(node.value)
    forEachChild(node, visit)
  }
  visit(script)
  return { programs: [...programs], words }
}
