import { alternatives, pathMatcher } from "../text/path-pattern.ts"
import { pathWithin, resolvePath } from "./paths.ts"

/** A glob taken apart: the folder it begins in, and what it says of the paths below. */
export interface Glob {
  from: string
  /** "" if it names one place and no more. */
  rest: string
  /** How many folders deep it can match. */
  depth: number
}

/** Splits a glob at its first wildcard. `folder` is what it is relative to. */
export function globOf(pattern: string, folder: string, home: string): Glob {
  const said = /^[A-Za-z]:[\\/]/.test(folder) ? pattern.replaceAll("\\", "/") : pattern
  const names = said.split("/")
  const first = names.findIndex(isWild)
  const literal =
    first < 0
      ? said
      : names
          .slice(0, first)
          .map((name) => `${name}/`)
          .join("")
  const rest =
    first < 0
      ? ""
      : names
          .slice(first)
          .filter((name) => name !== "" && name !== ".")
          .join("/")
  if (rest.split("/").includes(".."))
    throw new Error(`"${pattern}" goes up (..) after a wildcard; begin further up instead`)
  return { from: resolvePath(folder, literal || ".", home), rest, depth: depthOf(rest) }
}

/** Whether a path could be a glob; of a file that exists the caller knows better. */
export function isGlob(path: string): boolean {
  return path.split("/").some(isWild)
}

/** Tells which paths below `from` match. Dot files match only where the glob names the dot. */
export function globMatcher({ from, rest }: Glob): (path: string) => boolean {
  const matches = matcherOf(rest, false)
  return (path) => matches(pathWithin(from, path) ?? "")
}

/**
 * Tells which files a search looks in: `*.ts`, `src/**`, several with commas, `!` before what is left out. Without a slash it
 * is about the name alone; with one it may begin in any of these folders. Dot files match like any.
 */
export function includeMatcher(include: string, folders: readonly string[]): (path: string) => boolean {
  const globs = include.split(/,(?![^{]*\})/).map((glob) => glob.trim().replace(/^\.\//, ""))
  const matching = (each: readonly string[]) =>
    each.map((glob) => matcherOf(glob.includes("/") ? glob.replace(/^\//, "") : `**/${glob}`, true))
  const wanted = matching(globs.filter((glob) => glob !== "" && !glob.startsWith("!")))
  const unwanted = matching(globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1)))
  return (path) => {
    const ways = folders.map((folder) => pathWithin(folder, path) ?? path)
    const isOne = (matchers: typeof wanted) => matchers.some((matches) => ways.some(matches))
    return (wanted.length === 0 || isOne(wanted)) && !isOne(unwanted)
  }
}

function matcherOf(glob: string, dots: boolean): (path: string) => boolean {
  const matchers = alternatives(glob)
    .map((each) => pathMatcher(each, "extended", dots))
    .filter((matches) => matches !== undefined)
  return (path) => matchers.some((matches) => matches(path))
}

/** `@types`, `(app)` and `a+b` are names; `@(a|b)` is none. */
function isWild(name: string): boolean {
  return /[*?[{]|[@!+]\(|\([^()]*\|/.test(name)
}

function depthOf(rest: string): number {
  if (rest.includes("**") || /[{(][^})]*\//.test(rest)) return Number.POSITIVE_INFINITY
  return rest.split("/").length
}
