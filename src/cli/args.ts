import { didYouMean } from "../text/similar.ts"

/** What the command line says. */
export interface Arguments {
  command:
    | "acp"
    | "prompt"
    | "help"
    | "version"
    | "login"
    | "logout"
    | "doctor"
    | "models"
    | "trust"
    | "settings"
    | "agents"
    | "sessions"
    | "mcp"
    | "none"
  /** Of `-p`; undefined takes the pipe. */
  prompt: string | undefined
  /** Of help: the command that it is asked about. */
  about?: Arguments["command"]
  /** What is said after a command that has words and options of its own. */
  words?: readonly string[]
  values: Readonly<Partial<Record<ValueOption, string>>>
}

export class UsageError extends Error {
  override readonly name = "UsageError"
}

const VALUE_OPTIONS = {
  "--model": "ID",
  "--approval-mode": "default|auto_edit|yolo|read_only",
  "--mode": "code|ask|plan|debug|educator",
  "--session-store": "DIR",
  "--traffic-log": "FILE",
  "--log-level": "silent|error|info|debug",
  "--dialect": "auto|koda|standard",
  "--scenario": "FILE",
  "--resume": "ID",
  "--sandbox": "",
  "--output-format": "text|json|stream-json",
} as const

export type ValueOption = keyof typeof VALUE_OPTIONS

const FLAGS: Readonly<Record<string, Arguments["command"]>> = {
  "--acp": "acp",
  acp: "acp",
  "-p": "prompt",
  "--prompt": "prompt",
  "--help": "help",
  "-h": "help",
  help: "help",
  "--version": "version",
  "-v": "version",
  "-V": "version",
  version: "version",
  "--login": "login",
  login: "login",
  logout: "logout",
}

/** Commands with words and options of their own. */
const COMMANDS: Readonly<Record<string, Arguments["command"]>> = {
  doctor: "doctor",
  models: "models",
  trust: "trust",
  settings: "settings",
  agents: "agents",
  sessions: "sessions",
  mcp: "mcp",
}

const OWN_WORDS: readonly Arguments["command"][] = Object.values(COMMANDS)

/** Which of two things that were both asked for is done: `--acp --login` logs in. */
const STRONGER: readonly Arguments["command"][] = [
  "help",
  "version",
  "login",
  "logout",
  "doctor",
  "models",
  "trust",
  "settings",
  "agents",
  "sessions",
  "mcp",
  "prompt",
  "acp",
]

/** Reads the command line, or throws a {@link UsageError} that says what is wrong with it. */
export function parseArguments(args: readonly string[]): Arguments {
  const asked = new Set<Arguments["command"]>()
  const values: Partial<Record<ValueOption, string>> = {}
  const words: string[] = []
  let prompt: string | undefined
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as string
    const [name, inline] = splitOption(word)
    if (words.includes("--"))
      words.push(word) // what follows is another program's
    else if (isValueOption(name)) {
      if (VALUE_OPTIONS[name] === "") refuse(name, inline)
      const value = VALUE_OPTIONS[name] === "" ? "" : (inline ?? args[++at])
      if (value === undefined) throw new UsageError(`${name} needs a value: ${VALUE_OPTIONS[name]}`)
      values[name] = checked(name, value)
    } else if (OWN_WORDS.some((command) => asked.has(command)) && !isHelp(word)) words.push(word)
    else if (Object.hasOwn(FLAGS, name)) {
      asked.add(FLAGS[name] as Arguments["command"])
      if (FLAGS[name] !== "prompt") {
        refuse(name, inline)
        continue
      }
      prompt = inline ?? (isOption(args[at + 1]) ? undefined : args[++at])
    } else if (Object.hasOwn(COMMANDS, word) && !asked.has("prompt")) asked.add(COMMANDS[word] as Arguments["command"])
    else if (asked.has("prompt") && !word.startsWith("-"))
      throw new UsageError(`"${word}" stands outside of the prompt; put the whole prompt in quotes`)
    else throw new UsageError(strange(name))
  }
  const [command = "none", about] = STRONGER.filter((command) => asked.has(command))
  return { command, prompt, values, ...(words.length > 0 && { words }), ...(command === "help" && about && { about }) }
}

function splitOption(word: string): readonly [string, string | undefined] {
  const equals = word.startsWith("--") ? word.indexOf("=") : -1
  return equals < 0 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)]
}

function isValueOption(name: string): name is ValueOption {
  return Object.hasOwn(VALUE_OPTIONS, name)
}

/** Nothing, or the next option: a dash alone is text. */
function isOption(word: string | undefined): boolean {
  return (
    word === undefined || isValueOption(splitOption(word)[0]) || (word.startsWith("-") && Object.hasOwn(FLAGS, word))
  )
}

/** A value of a list must be on it. */
function checked(name: ValueOption, value: string): string {
  const form = VALUE_OPTIONS[name]
  const choices = form.includes("|") ? form.split("|") : undefined
  const known = value === "act" && name === "--mode" ? "code" : value
  if (choices && !choices.includes(known))
    throw new UsageError(`${name} is one of ${choices.join(", ")}, not "${value}"`)
  return known
}

/** Behind a command of its own, `help` is a word of that. */
function isHelp(word: string): boolean {
  return word === "--help" || word === "-h"
}

function refuse(name: string, inline: string | undefined): void {
  if (inline !== undefined) throw new UsageError(`${name} takes no value, and was given "${inline}"`)
}

/** What to say of an option or command that there is not. */
function strange(name: string): string {
  const likely = didYouMean(name, [VALUE_OPTIONS, FLAGS, COMMANDS].flatMap(Object.keys))
  if (name.startsWith("-")) return `There is no option "${name}"${likely}`
  return `There is no command "${name}"${likely || `; if it is a prompt, write koda -p "${name}"`}`
}
