import type { DoubleQuotedChild, Word, WordPart } from "unbash"

/** A word of a command, as far as it can be told from the text. */
export type ShellWord =
  | { type: "plain"; text: string }
  /** Stands for names of files; `pattern` has {@link ANY} where it matches anything. */
  | { type: "glob"; text: string; prefix: string; pattern: string }
  /** Has variables in it whose values we do not know. */
  | { type: "variable"; text: string; names: readonly string[] }

/** Stands for what a glob matches. No command has this character: the shell could not be given it. */
export const ANY = "\0"

/** A command is more than plain text can tell. The message ends a sentence that begins with "the command". */
export class NotPlain extends Error {}

/** What a word stands for. Throws {@link NotPlain} where it runs something, or may become several words. */
export function toShellWord(word: Word, home: string): ShellWord {
  // To bash, `~` stands for a home also where a word looks like `name=~`.
  if (/^[A-Za-z_][^=]*=.*~/s.test(word.text)) throw new NotPlain(`has an expansion in it: ${word.text}`)
  if (word.text.startsWith("~")) return tildeWord(word, home)
  const pieces = word.parts ? word.parts.flatMap((part) => toPieces(part, home)) : [word.value]
  return joined(atFolder(pieces), word.text)
}

type Piece = string | typeof GLOB | typeof FOLDER | { name: string }

const GLOB = Symbol("glob")
/** `$PWD`, which only means something at the start. */
const FOLDER = Symbol("folder")

function tildeWord(word: Word, home: string): ShellWord {
  if (!/^~(?:\/|$)/.test(word.text)) return { type: "variable", text: word.text, names: ["~"] } // another user's home
  const pieces = word.parts ? word.parts.flatMap((part) => toPieces(part, home)) : [word.value]
  return joined([home, String(pieces[0]).slice(1), ...pieces.slice(1)], word.text)
}

function toPieces(part: WordPart, home: string): Piece[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      return [part.value]
    case "DoubleQuoted":
      return part.parts.flatMap((child) => quotedPieces(child, home))
    case "SimpleExpansion":
    case "ParameterExpansion":
      return [splitting(variablePiece(part, home))]
    case "Glob":
      // A bracket with anything special in it may be no glob at all.
      if (part.kind === "bracket" && !/^\[[\w!^.-]+\]$/.test(part.text))
        throw new NotPlain(`has the pattern ${part.text}`)
      return [GLOB]
    case "CommandExpansion":
    case "ProcessSubstitution":
      throw new NotPlain(`runs another command inside: ${part.text}`)
    case "AnsiCQuoted":
    case "LocaleString":
    case "ArithmeticExpansion":
    case "ExtendedGlob":
    case "BraceExpansion":
      throw new NotPlain(`has an expansion in it: ${part.text}`)
  }
}

function quotedPieces(part: DoubleQuotedChild, home: string): Piece[] {
  switch (part.type) {
    case "Literal":
      return [part.value]
    case "SimpleExpansion":
    case "ParameterExpansion":
      return [variablePiece(part, home)]
    case "CommandExpansion":
      throw new NotPlain(`runs another command inside: ${part.text}`)
    case "ArithmeticExpansion":
      throw new NotPlain(`has an expansion in it: ${part.text}`)
  }
}

type Expansion = Extract<WordPart, { type: "SimpleExpansion" | "ParameterExpansion" }>

function variablePiece(part: Expansion, home: string): Piece {
  const name = /^\$(?:\{(\w+)\}|(\w+|[?#$]))$/.exec(part.text)?.slice(1).find(Boolean)
  if (!name) throw new NotPlain(`has an expansion in it: ${part.text}`)
  if (name === "HOME") return home
  return name === "PWD" ? FOLDER : { name }
}

/** Outside quotes, blanks and patterns in a value would make other words of it. */
function splitting(piece: Piece): Piece {
  return typeof piece === "string" && /[\s*?[\\]/.test(piece) ? { name: "HOME" } : piece
}

function atFolder(pieces: readonly Piece[]): Piece[] {
  return pieces.map((piece, index) => {
    if (piece !== FOLDER) return piece
    const next = pieces[index + 1]
    const isAlone = next === undefined || (typeof next === "string" && next.startsWith("/"))
    return index === 0 && isAlone ? "." : { name: "PWD" }
  })
}

function joined(pieces: readonly Piece[], source: string): ShellWord {
  const names = pieces.flatMap((piece) => (typeof piece === "object" ? [piece.name] : []))
  if (names.length > 0) return { type: "variable", text: source, names }
  const pattern = pieces.map((piece) => (typeof piece === "string" ? piece : ANY)).join("")
  const at = pattern.indexOf(ANY)
  return at < 0
    ? { type: "plain", text: pattern }
    : { type: "glob", text: source, prefix: pattern.slice(0, at), pattern }
}
