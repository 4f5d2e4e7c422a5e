import { checkUsage, type Opened } from "./shell-flags.ts"
import { NotPlain, type ShellWord } from "./shell-words.ts"

/** `awk`: programs that choose lines and print fields of them, without what runs, writes, or reads other files. */
export function checkAwk(args: readonly ShellWord[]): Opened {
  const opened = checkUsage("awk", { words: "pattern", texts: "F" }, args)
  let at = 0
  while (args[at]?.text.startsWith("-F")) at += args[at]?.text === "-F" ? 2 : 1
  const program = args[at]
  if (program?.type !== "plain" || !PROGRAM.test(program.text)) {
    throw new NotPlain(`gives \`awk\` a program that may do more than print: ${program?.text ?? ""}`)
  }
  return opened
}

/** No output may go anywhere but out, so that `>` and `|` are only known where lines are chosen. */
const PROGRAM: RegExp = (() => {
  // Each token can be read in one way only, so that no text takes long.
  const text = String.raw`"(?:[^"\\\n]|\\[tn])*"`
  const operand = String.raw`(?:(?:\$\d+|\$NF|\$\(NF-\d+\)|NR|NF|FNR|FILENAME|length\(\$\d+\)|length|\d+)(?![\w(])|${text})`
  const regex = String.raw`/(?:[^/\\\n[]|\\[^\n])+/`
  const compared = String.raw`!?~\s*${regex}|(?:[=!<>]=|[<>])\s*${operand}`
  const condition = String.raw`(?:!\s*)?(?:${regex}|${operand}(?:\s*(?:${compared}))?)`
  const chooses = String.raw`${condition}(?:\s*(?:&&|\|\||,)\s*${condition})*`
  const prints = String.raw`\{\s*print(?!\w)(?:\s*${operand}(?:\s*(?:,\s*)?${operand})*)?\s*(?:;\s*)?\}`
  return new RegExp(String.raw`^\s*(?:${chooses}(?:\s*${prints})?|${prints})\s*$`)
})()
