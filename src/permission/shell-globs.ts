import type { Files } from "../runtime.ts"
import { ANY } from "./shell-words.ts"

/** A pattern of names in folders, from the root; {@link ANY} in it matches anything in a name. */
export interface Pattern {
  readonly pattern: string
  /** Programs are given what it matches with nothing before it, so that it may look like a flag. */
  readonly isBare: boolean
}

/** A pattern that may match more than this is as good as unknown. */
const MOST_ENTRIES = 5_000

/**
 * The paths by which a pattern of a shell may lead out of the folders it names: the links that it matches, and what it
 * names below a match. Undefined where that can't be told: it would match too much, or names that programs take for flags.
 */
export async function matchedBy(
  { pattern, isBare }: Pattern,
  files: Pick<Files, "list">,
): Promise<string[] | undefined> {
  const paths: string[] = []
  let left = MOST_ENTRIES
  let isOdd = false

  async function match(folder: string, names: readonly string[]): Promise<void> {
    const at = names.findIndex((name) => name.includes(ANY))
    const here = [folder, ...names.slice(0, at)].join("/")
    const rest = names.slice(at + 1)
    const fits = matcher(names[at] as string)
    const entries = (await files.list(here || "/").catch(() => [])).filter(({ name }) => fits.test(name))
    left -= entries.length
    for (const { name, kind } of entries) {
      const path = `${here}/${name}`
      if ((isBare && name.startsWith("-")) || left < 0) isOdd = true
      if (isOdd) return
      if (kind === "link") paths.push(path)
      if (rest.length === 0 || kind === "file" || kind === "other") continue
      if (rest.some((each) => each.includes(ANY))) await match(path, rest)
      else paths.push([path, ...rest].join("/"))
    }
  }

  const names = pattern.split("/").filter((name) => name !== "" && name !== ".")
  if (names.includes("..")) return undefined
  await match("", names)
  return isOdd ? undefined : paths
}

/** The pattern as people know patterns. */
export function shownGlob({ pattern }: Pattern): string {
  return pattern.replaceAll(ANY, "*")
}

/** More than the pattern may match, never less: a bracket stands for anything, too. */
function matcher(name: string): RegExp {
  const text = name.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll(ANY, ".*")
  return new RegExp(`^${name.startsWith(ANY) ? "(?!\\.)" : ""}${text}$`, "s")
}
