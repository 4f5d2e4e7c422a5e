import { NotPlain, type ShellWord } from "./shell-words.ts"

/** How a program that only reads is called: the flags it is known to be harmless with, and what its words mean. */
export interface Usage {
  /** Letters of flags. */
  readonly flags?: string
  /** Letters whose value, if they have one, is the rest of the word. */
  readonly attached?: string
  /** Letters followed by a value: one that may be a path, or one that is never opened. */
  readonly values?: string
  readonly texts?: string
  /** Long flags, divided by spaces; with `=` a value follows that may be a path, with `~` one that is never opened. */
  readonly long?: string
  /** What the other words are; `pattern`: the first is a pattern and the others are paths. */
  readonly words: "paths" | "texts" | "pattern"
  /** More words than this would be something else: `uniq in out` writes. A glob may be any number of them. */
  readonly most?: number
  /** No flag of it writes or runs anything, so that globs and variables may stand for flags. */
  readonly safe?: true
  /** Letters of flags with which it reads all that is in a folder, or `*` if it always does. */
  readonly walks?: string
}

/** What a program opens. */
export interface Opened {
  readonly paths: readonly ShellWord[]
  /** It also reads all that is in the folders among them. */
  readonly walks: boolean
  /** Words of which the text doesn't tell what they stand for. */
  readonly unknown: readonly ShellWord[]
  /** Folders whose repositories git works in. */
  readonly repositories?: readonly ShellWord[]
}

/** Checks the words of a program against its usage. Throws {@link NotPlain} for a flag that is not in it. */
export function checkUsage(name: string, usage: Usage, args: readonly ShellWord[]): Opened {
  const read: Reading = {
    name,
    usage,
    paths: [],
    unknown: [],
    words: [],
    hasPattern: false,
    walks: usage.walks === "*",
  }
  let onlyWords = false
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as ShellWord
    if (arg.type === "variable") read.unknown.push(arg)
    const start = startOf(arg)
    const mayBeFlag = !onlyWords && (start === "" ? arg.type !== "plain" : start.startsWith("-"))
    if (mayBeFlag && arg.type !== "plain" && !(start === "" && usage.safe)) {
      throw new NotPlain(`may have any flag in place of \`${arg.text}\``)
    }
    const isFlag = !onlyWords && arg.type === "plain" && arg.text.length > 1 && arg.text.startsWith("-")
    if (isFlag && usage.most !== undefined && read.words.length > 0) throw unknownFlag(name, arg.text)
    if (!isFlag) read.words.push(arg)
    else if (arg.text === "--") onlyWords = true
    else if (arg.text.startsWith("--")) at += longFlag(arg.text, args[at + 1], read)
    else at += shortFlags(arg.text, args[at + 1], read)
  }
  const { most = Infinity } = usage
  const isMore = read.words.length > most || (most < Infinity && read.words.some(({ type }) => type === "glob"))
  if (isMore) throw new NotPlain(`may give \`${name}\` more than it reads`)
  if (usage.words === "paths") read.paths.push(...read.words)
  if (usage.words === "pattern") read.paths.push(...read.words.slice(read.hasPattern ? 0 : 1))
  const paths = read.paths.filter(({ type }) => type !== "variable")
  return { paths, walks: read.walks, unknown: read.unknown }
}

interface Reading {
  readonly name: string
  readonly usage: Usage
  readonly paths: ShellWord[]
  readonly words: ShellWord[]
  readonly unknown: ShellWord[]
  /** No word is a pattern: a flag gave it, or there is none. */
  hasPattern: boolean
  walks: boolean
}

/** How many of the next words belong to the flag. */
function longFlag(text: string, next: ShellWord | undefined, read: Reading): 0 | 1 {
  const [flag = "", ...rest] = text.slice(2).split("=")
  const given = rest.length > 0 ? rest.join("=") : undefined
  const known = (read.usage.long ?? "").split(" ").find((entry) => entry.replace(/[=~]$/, "") === flag)
  if (!known) throw unknownFlag(read.name, text)
  if (/^(?:regexp|files?)$/.test(flag)) read.hasPattern = true
  if (known.endsWith("=") && given !== undefined) read.paths.push({ type: "plain", text: given })
  if (!/[=~]$/.test(known) || given !== undefined) return 0
  return takeValue(known.endsWith("="), next, read)
}

function shortFlags(text: string, next: ShellWord | undefined, read: Reading): 0 | 1 {
  const { flags = "", attached = "", values = "", texts = "", walks = "" } = read.usage
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] as string
    const rest = text.slice(at + 1)
    if (walks.includes(letter)) read.walks = true
    if (flags.includes(letter)) continue
    if (attached.includes(letter)) return 0
    const isPath = values.includes(letter)
    if (!isPath && !texts.includes(letter)) throw unknownFlag(read.name, text)
    if (letter === "e" || letter === "f") read.hasPattern = true
    if (rest === "") return takeValue(isPath, next, read)
    if (isPath) read.paths.push({ type: "plain", text: rest })
    return 0
  }
  return 0
}

function takeValue(isPath: boolean, next: ShellWord | undefined, read: Reading): 0 | 1 {
  if (!next) return 0
  if (next.type !== "plain") throw new NotPlain(`has a value that the text doesn't tell: \`${next.text}\``)
  // Where flags end at the first word, this is no flag's value but one more file.
  if (isPath || read.words.length > 0) read.paths.push(next)
  return 1
}

function unknownFlag(name: string, flag: string): NotPlain {
  return new NotPlain(`uses \`${name} ${flag}\`, which may do more than read`)
}

function startOf(word: ShellWord): string {
  if (word.type === "plain") return word.text
  return word.type === "glob" ? word.prefix : ""
}
