import type { Script, SyntaxNode } from "unbash"
import type { Pattern } from "./shell-globs.ts"
import { namesIn } from "./shell-names.ts"
import { openedBy } from "./shell-programs.ts"
import { ruleOfWords } from "./shell-rules.ts"
import { type Folders, type Simple, simplesOf } from "./shell-structure.ts"
import { ANY, NotPlain, type ShellWord } from "./shell-words.ts"

/** What a command does, as far as its text tells. Paths are absolute, and links and `..` in them not resolved. */
export type CommandFacts =
  | {
      reading: true
      reads: readonly string[]
      /** Folders of which it reads all that is in them. */
      walks: readonly string[]
      /** Patterns of which it reads what they match. */
      globs: readonly Pattern[]
      /** Words of which the text doesn't tell what they stand for. */
      unresolved: readonly string[]
      /** Folders in which it has git work. */
      repositories: readonly string[]
    }
  | {
      reading: false
      /** Ends a sentence that begins with "the command". */
      why: string
      programs: readonly string[]
      /** What it reads, and its words as paths, whichever of them is one; only a guess at what it touches. */
      names: readonly string[]
      /** What must be allowed for it to run without a question; null if only an answer will do. */
      rules: readonly string[] | null
    }

/** A longer command is not looked into. */
const MOST_CHARACTERS = 20_000

/** Looks at a command that will be run by bash or sh in a folder. */
export async function inspectCommand(command: string, folder: string, home: string): Promise<CommandFacts> {
  const joined = command.replaceAll("\\\n", "")
  const unread = { reading: false, programs: [], names: namesIn([command, joined], folder, home), rules: null } as const
  if (command.length > MOST_CHARACTERS) return { ...unread, why: "is too long to be looked into" }
  // Control characters mean different things to different shells.
  if (/[\0-\x08\x0b-\x1f\x7f]/.test(command)) return { ...unread, why: "has control characters in it" }
  // `$` on one line and `HOME` on the next are a variable to a shell, and not to everybody who reads it.
  if (/\S\\\n/.test(command)) return { ...unread, why: "breaks a line in the middle of a word" }
  const { parse, forEachChild } = await import("unbash")
  const script = parse(command)
  if (script.errors?.length) return { ...unread, why: "is not written as a shell understands it" }
  const simples = plainly(() => simplesOf(script, folder, home))
  const touched = simples instanceof NotPlain ? undefined : touchedBy(simples, folder)
  if (!(simples instanceof NotPlain) && touched && !touched.trouble) {
    const { reads, walks, globs, unresolved, repositories } = touched
    return {
      reading: true,
      reads: [...reads],
      walks: [...walks],
      globs: [...globs],
      unresolved: [...unresolved],
      repositories: [...repositories],
    }
  }
  const trouble = simples instanceof NotPlain ? simples : touched?.trouble
  const { programs, words } = wordsIn(script, forEachChild)
  const names = new Set([...(touched?.reads ?? []), ...namesIn([command, ...words], folder, home)])
  return { reading: false, why: trouble?.message ?? "", programs, names: [...names], rules: touched?.rules ?? null }
}

/** What "always" would remember of a command, as people read it: `npm test`. Null if it can only be allowed once. */
export async function whatToRemember(command: string): Promise<string | null> {
  const facts = await inspectCommand(command, "/", "/")
  if (facts.reading || facts.rules === null) return null
  const [rule, ...more] = new Set(facts.rules)
  return rule === undefined || more.length > 0 ? null : rule
}

/** What it gives, or why the command is more than plain. */
function plainly<Value>(work: () => Value): Value | NotPlain {
  try {
    return work()
  } catch (error) {
    if (error instanceof NotPlain) return error
    throw error
  }
}

interface Touched {
  readonly reads: Iterable<string>
  readonly walks: Iterable<string>
  readonly globs: Iterable<Pattern>
  readonly unresolved: Iterable<string>
  readonly repositories: Iterable<string>
  /** Why it does more than read, if it does. */
  readonly trouble: NotPlain | undefined
  /** What must be allowed for that, as far as it can be allowed in advance. */
  readonly rules: readonly string[] | null
}

function touchedBy(simples: readonly Simple[], folder: string): Touched {
  const reads = new Set([folder])
  const walks = new Set<string>()
  const globs: Pattern[] = []
  const unresolved = new Set<string>()
  const repositories = new Set<string>()
  const rules = new Set<string | undefined>()
  let trouble: NotPlain | undefined
  for (const { program, args, folders } of simples) {
    const opened = plainly(() => openedBy(program, args))
    if (opened instanceof NotPlain) {
      trouble ??= opened
      rules.add(ruleOfWords(program, args))
      continue
    }
    for (const word of opened.unknown) if (!isPrintable(program, word)) unresolved.add(word.text)
    // Many read the folder they run in, and `cd` leads elsewhere than its words name to all others.
    for (const each of folders) each === undefined ? unresolved.add(program) : reads.add(each)
    for (const word of opened.repositories ?? [])
      for (const path of placesOf(word, folders)) if (path !== undefined) repositories.add(path)
    const here = opened.walks && opened.paths.length === 0 ? [HERE] : []
    // Whatever it is to the program, the shell looks for files by it, and gives it as many words as it finds.
    const matched = args.filter((word) => word.type === "glob" && !opened.paths.includes(word))
    for (const word of [...opened.paths, ...matched, ...here]) {
      const places = placesOf(word, folders)
      if (places.includes(undefined)) unresolved.add(word.text)
      for (const path of places.filter((each) => each !== undefined)) {
        reads.add(path)
        if (opened.walks || word.type === "glob") walks.add(path)
      }
      if (word.type === "glob") globs.push(...patternsOf(word, folders))
    }
  }
  const isClear = unresolved.size === 0 && !rules.has(undefined)
  return { reads, walks, globs, unresolved, repositories, trouble, rules: isClear ? ([...rules] as string[]) : null }
}

const HERE: ShellWord = { type: "plain", text: "." }

/** Where a word may lead; undefined is somewhere that the text doesn't tell. */
function placesOf(word: ShellWord, folders: Folders): readonly (string | undefined)[] {
  const written = word.type === "plain" ? word.text : word.type === "glob" ? prefixOf(word) : undefined
  if (written === undefined || written.startsWith("/")) return [written]
  return folders.map((folder) => (folder === undefined || written === "." ? folder : `${folder}/${written}`))
}

/** A glob from the folders where it may be matched. */
function patternsOf({ prefix, pattern }: Extract<ShellWord, { type: "glob" }>, folders: Folders): readonly Pattern[] {
  const isBare = prefix === ""
  if (pattern.startsWith("/")) return [{ pattern, isBare }]
  return folders.flatMap((folder) => (folder === undefined ? [] : [{ pattern: `${folder}/${pattern}`, isBare }]))
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
