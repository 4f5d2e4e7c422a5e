import { nameMatcher } from "./name-matcher.ts"
import { pathMatcher } from "./path-pattern.ts"

/** One line of an ignore file. */
export interface IgnoreRule {
  /** It takes back what rules before it have left out. */
  readonly not: boolean
  readonly foldersOnly: boolean
  matches(path: string, name: string): boolean
}

/** The rules of an ignore file, as git reads them. */
export function ignoreRules(text: string): IgnoreRule[] {
  return text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .map((line) => ruleOf(line.replace(/\r$/, "")))
    .filter((rule) => rule !== undefined)
}

/** What the last rule says that matches; `path` is from the rules' own folder, with `/`. Undefined if none does. */
export function ruling(rules: readonly IgnoreRule[], path: string, kind: "file" | "folder"): boolean | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const last = rules.findLast((rule) => (kind === "folder" || !rule.foldersOnly) && rule.matches(path, name))
  return last && !last.not
}

/** Characters. No path is as long as that. */
const LONGEST = 4_096

function ruleOf(line: string): IgnoreRule | undefined {
  if (line.startsWith("#") || line.length > LONGEST) return undefined
  const not = line.startsWith("!")
  const said = withoutEnd(not ? line.slice(1) : line)
  const foldersOnly = said.endsWith("/")
  const pattern = foldersOnly ? said.slice(0, -1) : said
  if (pattern === "") return undefined
  if (pattern.includes("/")) {
    const matches = pathMatcher(pattern.replace(/^\//, ""), "plain", true)
    return matches && { not, foldersOnly, matches }
  }
  const matches = nameMatcher(pattern, "plain", true)
  return matches && { not, foldersOnly, matches: (_, name) => matches(name) }
}

/** Blanks at the end count only behind a backslash. */
function withoutEnd(line: string): string {
  const bare = line.replace(/[ ]+$/, "")
  if (bare.length === line.length) return line
  const slashes = /\\*$/.exec(bare)![0].length
  return slashes % 2 === 1 ? `${bare} ` : bare
}
