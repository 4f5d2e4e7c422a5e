import { checkUsage, type Opened, type Usage } from "./shell-flags.ts"
import { ANY, NotPlain, type ShellWord } from "./shell-words.ts"

/** `find`: only tests, and actions that print. */
export function checkFind(args: readonly ShellWord[]): Opened {
  const paths: ShellWord[] = []
  let at = 0
  while (["-H", "-P", "-E"].includes(textOf(args[at]))) at++ // not `-L`, which follows links out of the folder
  for (; at < args.length && !/^(?:[-!()]|,$)/.test(firstOf(args[at])); at++) {
    if (firstOf(args[at]) === "") throw new NotPlain("may give `find` any action")
    paths.push(args[at] as ShellWord)
  }
  for (; at < args.length; at++) {
    const primary = textOf(args[at])
    const values = FIND[primary]
    if (values === undefined || !Object.hasOwn(FIND, primary)) {
      throw new NotPlain(`uses \`find ${args[at] ? (args[at] as ShellWord).text : ""}\`, which may do more than read`)
    }
    if (values === "none") continue
    const value = args[++at]
    // A name with a dot in it is no action, however many names there are.
    const isNames = value?.type === "glob" && values === "text" && value.pattern.includes(".")
    if (value && value.type !== "plain" && !isNames) throw new NotPlain("may give `find` any action")
    if (value && values === "path") paths.push(value)
  }
  return { paths, walks: false, unknown: [] }
}

type Value = "none" | "text" | "path"

const FIND: Readonly<Record<string, Value>> = {
  ...each(
    "none",
    "! ( ) , -a -o -and -or -not -true -false -print -print0 -prune -ls -quit -empty -depth -d -xdev -mount -noleaf -daystart -readable -writable -executable -nouser -nogroup",
  ),
  ...each(
    "text",
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -mmin -ctime -cmin -atime -amin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -lname -ilname -fstype -printf -newermt",
  ),
  ...each("path", "-newer -anewer -cnewer -samefile"),
}

function each(value: Value, words: string): Record<string, Value> {
  return Object.fromEntries(words.split(" ").map((word) => [word, value]))
}

/** `sed`: scripts that print, number, delete, replace or stop, and never in place. */
export function checkSed(args: readonly ShellWord[]): Opened {
  const byFlag = args.some(isScriptFlag)
  const scripts: ShellWord[] = []
  const rest: ShellWord[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as ShellWord
    const isWord = !textOf(arg).startsWith("-")
    if (isScriptFlag(arg)) scripts.push(args[++at] ?? arg)
    else if (!byFlag && isWord && scripts.length === 0) scripts.push(arg)
    else rest.push(arg)
    if (isWord && byFlag && args.slice(at).some(isScriptFlag)) throw new NotPlain("gives `sed` a flag after a file")
  }
  if (args.some((arg) => textOf(arg) === "--")) throw new NotPlain("uses `sed --`")
  if (scripts.length === 0) throw new NotPlain("gives `sed` no script")
  for (const script of scripts) {
    const isSafe = script.type === "plain" && SED_SCRIPT.test(script.text)
    if (!isSafe) throw new NotPlain(`gives \`sed\` a script that may do more than print: ${script.text}`)
  }
  return checkUsage(
    "sed",
    { words: "paths", flags: "nErsuz", long: "quiet silent regexp-extended separate null-data" },
    rest,
  )
}

function isScriptFlag(arg: ShellWord): boolean {
  return /^(?:-[nErsuz]*e|--expression)$/.test(textOf(arg))
}

const SED_SCRIPT: RegExp = (() => {
  const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n[]|\\[^\n])+/I?)`
  const replaces = Array.from("/|,#:@!%+~", replacing).join("|") // with no flag but these: `e` runs, and `w` writes
  const what = String.raw`(?:[pdq=]|(?:${replaces})[gpiI\d]*)`
  // Blanks can be read in one way only, so that no text takes long.
  const addresses = String.raw`${address}(?:,\s*(?:${address}|\+\d+))?[ \t]*`
  const command = String.raw`\s*(?:${addresses})?(?:![ \t]*)?${what}[ \t]*`
  return new RegExp(`^${command}(?:[;\\n]${command})*;?\\s*$`)
})()

/** `s` with this mark between its parts, which no system may take to end elsewhere. */
function replacing(mark: string): string {
  const end = `\\${mark}`
  const escaped = String.raw`\\[^\nc]`
  const bracket = String.raw`\[\^?\]?(?:[^\]\\\n[${end}]|\[:[a-z]+:\])*\]`
  const pattern = String.raw`(?:[^\\\n[${end}]|${escaped}|${bracket})*`
  return `s${end}${pattern}${end}(?:[^\\\\\\n${end}]|${escaped})*${end}`
}

/** `test`, without what evaluates its words. */
export function checkTest(args: readonly ShellWord[]): Opened {
  const odd = args.find((arg) => {
    if (arg.type === "glob") return true
    return arg.type === "plain" && arg.text.startsWith("-") && !TESTS.has(arg.text) && !/^-\d+$/.test(arg.text)
  })
  if (odd) throw new NotPlain(`uses \`test ${odd.text}\`, which may do more than read`)
  const paths = args.filter((arg) => arg.type === "plain" && !arg.text.startsWith("-"))
  return { paths, walks: false, unknown: args.filter(({ type }) => type === "variable") }
}

const TESTS: ReadonlySet<string> = new Set(
  "-e -d -f -r -w -x -s -L -h -S -b -c -g -u -k -p -O -G -N -t -n -z -a -o -eq -ne -lt -le -gt -ge -nt -ot -ef".split(
    " ",
  ),
)

/** `date`, which a bare word would set. */
export function checkDate(args: readonly ShellWord[]): Opened {
  const setter = args.find((arg, at) => {
    const isValue = /^-[dr]$|^--(?:date|reference)$/.test(textOf(args[at - 1]))
    return !isValue && !/^[-+]/.test(textOf(arg))
  })
  if (setter) throw new NotPlain("may set the clock")
  return checkUsage("date", DATE, args)
}

const DATE = {
  words: "texts",
  flags: "uR",
  attached: "I",
  texts: "d",
  values: "r",
  long: "utc universal rfc-email iso-8601 rfc-3339 date~ reference=",
} as const

/** `diff`, which reads what it compares of two folders through the links in them. */
export function checkDiff(args: readonly ShellWord[]): Opened {
  const opened = checkUsage("diff", DIFF, args)
  if (textOf(args[0]) === "--no-dereference") return opened
  if (opened.walks) throw new NotPlain("follows the links in folders (`diff --no-dereference -r` does not)")
  return { ...opened, paths: [...opened.paths, ...opened.paths.map(allInside)] }
}

function allInside(path: ShellWord): ShellWord {
  if (path.type === "variable") return path
  const { prefix, pattern } = path.type === "glob" ? path : { prefix: `${path.text}/`, pattern: path.text }
  return { type: "glob", text: path.text, prefix, pattern: `${pattern}/${ANY}` }
}

const DIFF: Usage = {
  words: "paths",
  safe: true,
  flags: "abBcdeEiNnpqrstTuwWyZ0123456789",
  values: "CU",
  texts: "FILx",
  walks: "r",
  long: "brief report-identical-files side-by-side ignore-case ignore-all-space ignore-space-change ignore-trailing-space ignore-blank-lines text minimal color unified context new-file suppress-common-lines strip-trailing-cr width~ exclude~ label~ left-column expand-tabs show-c-function no-dereference",
}

/** `strings`, which takes `@file` for words that are in that file. */
export function checkStrings(args: readonly ShellWord[]): Opened {
  const odd = args.find((arg) => /^(?:@|$)/.test(firstOf(arg)))
  if (odd) throw new NotPlain(`may give \`strings\` words that are in a file: ${odd.text}`)
  return checkUsage("strings", { words: "paths", flags: "aw", values: "nt", long: "all bytes~ radix~" }, args)
}

/** `xxd`, which reads one file, writes to a second, and of a word with a dash heeds the first letter: `-ps` is `-p`. */
export function checkXxd(args: readonly ShellWord[]): Opened {
  let at = 0
  while (textOf(args[at]).startsWith("-")) {
    const flag = textOf(args[at++])
    const isFlag = /^-(?:[abeEiu]|p|ps|plain|[cglos]\d+)$/.test(flag)
    if (!isFlag && !(/^-[cglos]$/.test(flag) && /^[-+]?\w+$/.test(textOf(args[at++])))) {
      throw new NotPlain(`uses \`xxd ${flag}\`, which may do more than read`)
    }
  }
  return checkUsage("xxd", { words: "paths", most: 1 }, args.slice(at))
}

/** `ps`, without what prints the environment of programs. */
export function checkPs(args: readonly ShellWord[]): Opened {
  const odd = args.find((arg, at) => {
    const text = textOf(arg)
    if (/^-e?[op]$/.test(textOf(args[at - 1]))) return !/^[\w,=%:]+$/.test(text) || /\benv/i.test(text)
    return !/^(?:-[AdefFjlLTyw]+|-?[afHjlruwxT]+|-e?[op]|--no-headers?|--forest|--sort=[-+\w,%]+)$/.test(text)
  })
  if (odd) throw new NotPlain(`uses \`ps ${odd.text}\`, which may print secrets`)
  return { paths: [], walks: false, unknown: [] }
}

/** `command -v` only says where a program is; without the flag it runs it. */
export function checkCommand(args: readonly ShellWord[]): Opened {
  if (!/^-[vV]$/.test(textOf(args[0]))) throw new NotPlain("runs a program by `command`")
  return { paths: [], walks: false, unknown: args.filter(({ type }) => type === "variable") }
}

function textOf(word: ShellWord | undefined): string {
  return word?.type === "plain" ? word.text : ""
}

/** How a word begins; "" if the text doesn't tell. */
function firstOf(word: ShellWord | undefined): string {
  if (word?.type === "glob") return word.prefix
  return textOf(word)
}
