import type { AndOr, Command, PipelineNode, Redirection, Script, Statement } from "unbash"
import { NotPlain, type ShellWord, toShellWord } from "./shell-words.ts"

/** One program with its arguments, and the folders it may run in. */
export interface Simple {
  readonly program: string
  readonly args: readonly ShellWord[]
  readonly folders: Folders
}

/** Where a command may be run, one of several after a `cd`; undefined is a folder that the text doesn't tell. */
export type Folders = readonly (string | undefined)[]

/**
 * The simple commands of a script that is made of nothing but them, joined by `;`, `&&`, `||`, `|`, brackets and line
 * ends. Throws {@link NotPlain} for all else: what is not understood here is not harmless.
 */
export function simplesOf(script: Script, folder: string, home: string): Simple[] {
  const walk: Walk = { found: [], home }
  statements(script.commands, [folder], walk)
  if (walk.found.length === 0) throw new NotPlain("is empty")
  return walk.found
}

interface Walk {
  readonly found: Simple[]
  readonly home: string
}

/** Where the shell is after a command that succeeded, and after one that failed. */
interface After {
  ok: Folders
  failed: Folders
}

function statements(list: readonly Statement[], folders: Folders, walk: Walk): Folders {
  let now = folders
  for (const { command, background } of list) {
    if (background) throw new NotPlain("starts something in the background")
    now = anyOf(node(command, now, walk))
  }
  return now
}

function node(command: PipelineNode | AndOr, folders: Folders, walk: Walk): After {
  switch (command.type) {
    case "Command":
      return simple(command, folders, walk)
    case "AndOr":
      return andOr(command, folders, walk)
    case "Pipeline": {
      if (command.prefixes.some(({ type }) => type !== "Negation")) throw new NotPlain("is timed")
      const [first] = command.commands
      if (command.commands.length === 1 && first) return both(anyOf(node(first, folders, walk)))
      for (const each of command.commands) node(each, folders, walk) // each in a shell of its own
      return both(folders)
    }
    case "Subshell":
      statements(command.body.commands, folders, walk)
      return both(folders)
    case "BraceGroup":
      return both(statements(command.body.commands, folders, walk))
    case "Redirected":
      throw new NotPlain("redirects a group of commands")
    default: // loops, conditions, functions, and what the parser may learn yet
      throw new NotPlain(`has ${WORDS[command.type] ?? "a construct"} in it`)
  }
}

const WORDS: Readonly<Record<string, string>> = {
  If: "an `if`",
  For: "a loop",
  ArithmeticFor: "a loop",
  While: "a loop",
  Select: "a loop",
  Case: "a `case`",
  Function: "a function",
  Coproc: "a coprocess",
  TestCommand: "`[[`",
  ArithmeticCommand: "arithmetic",
}

function andOr({ commands, operators }: AndOr, folders: Folders, walk: Walk): After {
  let after: After = both(folders)
  commands.forEach((command, index) => {
    const operator = operators[index - 1]
    if (operator === undefined) after = node(command, folders, walk)
    else if (operator === "&&") {
      const next = node(command, after.ok, walk)
      after = { ok: next.ok, failed: union(after.failed, next.failed) }
    } else {
      const next = node(command, after.failed, walk)
      after = { ok: union(after.ok, next.ok), failed: next.failed }
    }
  })
  return after
}

function simple(command: Command, folders: Folders, walk: Walk): After {
  const lastWord = command.args.at(-1) ?? command.name
  for (const redirection of command.redirects) checkRedirection(redirection, lastWord?.pos ?? 0)
  if (!command.name || command.prefix.some(({ type }) => type === "Assignment")) {
    throw new NotPlain("sets a variable")
  }
  const name = toShellWord(command.name, walk.home)
  if (name.type !== "plain") throw new NotPlain(`does not say which program it runs: ${command.name.text}`)
  const args = command.args.map((arg) => {
    if (arg.type === "Assignment") throw new NotPlain("sets a variable")
    return toShellWord(arg, walk.home)
  })
  walk.found.push({ program: name.text, args, folders })
  return name.text === "cd" ? { ok: changed(folders, args, walk.home), failed: folders } : both(folders)
}

/** Output may be thrown away, or joined; anything else is a file that is written, or a program's input. */
function checkRedirection(redirection: Redirection, lastWord: number): void {
  if (redirection.type !== "Redirect") throw new NotPlain("feeds text to a program")
  const { operator, target, descriptor } = redirection
  const to = target && !target.parts ? target.text : undefined
  if (descriptor?.type === "FileDescriptorVariable" || to === undefined)
    throw new NotPlain("redirects to what it computes")
  // To sh, `ls &>f x` is `ls &`, and then `x`.
  if (operator.startsWith("&") && redirection.pos < lastWord) throw new NotPlain(`redirects by \`${operator}\``)
  const isDup = operator === ">&" && (to === "1" || to === "2")
  const isThrown = to === "/dev/null" && operator !== "<>" && operator !== "<&"
  if (isDup || isThrown) return
  throw new NotPlain(operator.startsWith("<") ? `reads \`${to}\` by a redirect` : `writes to \`${to}\``)
}

/** Where `cd` leads. It takes `..` off the path as it is written, whatever links are on the way. */
function changed(folders: Folders, args: readonly ShellWord[], home: string): Folders {
  const [to, ...more] = args.filter((arg) => !(arg.type === "plain" && arg.text === "--"))
  if (!to) return [home]
  if (to.type !== "plain" || more.length > 0 || to.text.startsWith("-") || to.text === "") return [undefined]
  if (to.text.startsWith("/")) return [withoutDots(to.text)]
  return unique(folders.map((folder) => folder && withoutDots(`${folder}/${to.text}`)))
}

function withoutDots(path: string): string {
  const kept: string[] = []
  for (const name of path.split("/")) {
    if (name === "..") kept.pop()
    else if (name !== "" && name !== ".") kept.push(name)
  }
  return `/${kept.join("/")}`
}

function both(folders: Folders): After {
  return { ok: folders, failed: folders }
}

function anyOf({ ok, failed }: After): Folders {
  return union(ok, failed)
}

function union(one: Folders, other: Folders): Folders {
  return unique([...one, ...other])
}

/** More folders than this are as good as unknown. */
const MOST_FOLDERS = 8

function unique(folders: Folders): Folders {
  const set = new Set(folders)
  return set.size > MOST_FOLDERS ? [undefined] : [...set]
}
