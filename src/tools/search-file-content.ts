import * as v from "valibot"
import type { Location } from "../agent/message.ts"
import type { Outcome, Tool } from "../agent/tool.ts"
import { type LineMatcher, lineMatcher } from "../text/line-matcher.ts"
import { byteLength, cutAround, cutEnd, linesWithin, RESULT_BYTES, sizeInWords } from "../text/truncate.ts"
import { leftOut } from "../workspace/find.ts"
import { includeMatcher } from "../workspace/glob.ts"
import { rulesAround } from "../workspace/ignore.ts"
import { meantPath, nearWords } from "../workspace/meant.ts"
import { shownPath } from "../workspace/paths.ts"
import type { Sieve } from "../workspace/ripgrep.ts"
import { BIGGEST_FILE, type FileMatches, type FoundLine, type Skipped, search } from "../workspace/search.ts"
import { newTally, type Tally, walk } from "../workspace/walk.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { defineTool } from "./define.ts"
import { within } from "./within.ts"

/** Matches shown of one file, and in all. */
const MOST_OF_FILE = 50
const MOST_MATCHES = 500

/** Characters shown of a line, around its match. */
const MOST_OF_LINE = 300

/** Files a client is given links to. */
const MOST_LOCATIONS = 50

export interface SearchOptions {
  /** Spares reading files that can't match. */
  sieve?: Sieve
  /** Milliseconds. */
  deadline?: number
}

/** Searches the texts on the disk, line by line. */
export const searchFileContent = (workspace: Workspace, { sieve, deadline }: SearchOptions = {}): Tool =>
  defineTool({
    name: "search_file_content",
    kind: "search",
    description:
      "Searches files for a regular expression, line by line. Case counts if the pattern has a capital letter. Ignored " +
      "files are searched only if `path` names them.",
    input: v.object({
      pattern: v.pipe(v.string(), v.nonEmpty("is empty")),
      path: v.optional(v.pipe(v.string(), v.description("Folder or file"))),
      include: v.optional(v.pipe(v.string(), v.description("Globs, e.g. *.{ts,tsx}"))),
      literal: v.optional(v.pipe(v.boolean(), v.description("Plain text, no expression")), false),
      case_sensitive: v.optional(v.boolean()),
      context: v.optional(v.pipe(v.number(), v.integer(), v.description("Lines around each match")), 0),
    }),
    spellings: {
      query: "pattern",
      regex: "pattern",
      glob: "include",
      include_pattern: "include",
      directory: "path",
      dir_path: "path",
      fixed_strings: "literal",
      context_lines: "context",
    },
    async prepare({ pattern, path = ".", include, literal, case_sensitive: caseSensitive, context }) {
      const matcher = lineMatcher(pattern, { literal, caseSensitive })
      const from = await meantPath(workspace, path)
      const where = shownPath(from, workspace)
      const place = where === "." ? "" : ` in ${where}`
      return {
        title: `Search ${cutEnd(JSON.stringify(pattern), 60)}${place}${include ? ` (${include})` : ""}`,
        reach: { type: "files", reads: [from], writes: [] },
        run: ({ signal }) =>
          within(deadline, signal, (signal) => {
            const around = Math.min(Math.max(0, context), 20)
            return found(
              workspace,
              { from, include, matcher, context: around, sieve, name: where === "." ? "the workspace" : where },
              signal,
            )
          }),
      }
    },
  })

interface Request {
  from: string
  /** `from` as it is shown. */
  name: string
  include: string | undefined
  matcher: LineMatcher
  context: number
  sieve: Sieve | undefined
}

async function found(workspace: Workspace, request: Request, signal: AbortSignal): Promise<Outcome> {
  const { matcher, context } = request
  const tally = newTally()
  const skipped: Skipped = { unreadable: 0, big: 0, binary: 0, cut: 0 }
  const { paths, sieve } = await pathsFor(workspace, request, tally, signal)
  const blocks: string[] = []
  const locations: Location[] = []
  let [left, matches, files, full] = [RESULT_BYTES - NOTES, 0, 0, false]
  const wanted = { matcher, context, most: MOST_OF_FILE }
  async function* counted(paths: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const path of paths) {
      files++
      yield path
    }
  }
  for await (const file of search(workspace.files, counted(paths), wanted, skipped, sieve, signal)) {
    const lines = [shownPath(file.path, workspace), ...linesFor(file)]
    const fit = matches < MOST_MATCHES ? linesWithin(lines, left) : 0
    full = fit < lines.length
    if (fit > 1) {
      const block = lines.slice(0, fit).join("\n")
      blocks.push(block)
      left -= byteLength(block) + 2
      matches += full ? lines.slice(1, fit).filter((line) => /^\d+: /.test(line)).length : countMatches(file)
      if (locations.length < MOST_LOCATIONS) locations.push({ path: file.path, line: firstMatch(file) })
    }
    if (full) break
  }
  const notes = [
    ...(full
      ? [`There is more; only the first ${matches} matches are shown. Narrow it by path, include or pattern.`]
      : []),
    ...leftOut(blocks.length === 0 ? tally : { ...tally, ignored: 0 }),
    ...skippedInWords(skipped, matcher),
  ]
  const none = [nothing(request, files, skipped), ...notes].join(" ")
  const text = blocks.length === 0 ? none : [...blocks, ...bracketed(notes)].join("\n\n")
  return { content: [{ type: "text", text }], locations }
}

function nothing({ name, include, matcher }: Request, files: number, { binary }: Skipped): string {
  if (files === 0 && include !== undefined) return `No file in ${name} has a path that matches "${include}".`
  if (files > 0 && binary === files) return `In ${name} there is nothing but binary data, which is not searched.`
  return `No line matches ${JSON.stringify(matcher.source)} in ${name}.`
}

/** Bytes kept for the notes. */
const NOTES = 1_000

async function pathsFor(workspace: Workspace, request: Request, tally: Tally, signal: AbortSignal) {
  const { from, name, include, sieve } = request
  const { files, roots } = workspace
  const info = await files.stat(from)
  if (!info) throw new Error(`There is nothing at ${name}. ${await nearWords(workspace, from)}`)
  if (info.kind === "other") throw new Error(`${name} is a device, a pipe or a socket, which can't be searched.`)
  if (info.kind === "file" && info.size > BIGGEST_FILE) {
    throw new Error(
      `${name} has ${sizeInWords(info.size)}, and over 20 MB is not searched. Use a command for it (grep).`,
    )
  }
  if (info.kind === "file") return { paths: only(from), sieve: undefined }
  const wanted = include === undefined ? () => true : includeMatcher(include, [from, workspace.cwd])
  const rules = await rulesAround(files, from, roots)
  return { paths: filtered(walk(files, { from, rules }, tally, signal), wanted), sieve }
}

async function* only(path: string): AsyncGenerator<string> {
  yield path
}

async function* filtered(paths: AsyncIterable<string>, wanted: (path: string) => boolean): AsyncGenerator<string> {
  for await (const path of paths) if (wanted(path)) yield path
}

/** `12: a match`, `13- around it`. */
function linesFor({ lines, more }: FileMatches): string[] {
  const hasContext = lines.some(({ span }) => !span)
  const shown = lines.flatMap((line, at) => {
    const gap = hasContext && at > 0 && line.number > lines[at - 1]!.number + 1
    return gap ? ["--", lineInWords(line)] : [lineInWords(line)]
  })
  return more > 0 ? [...shown, `[${more} more ${more === 1 ? "line matches" : "lines match"} in this file]`] : shown
}

function lineInWords({ number, text, span }: FoundLine): string {
  return span ? `${number}: ${cutAround(text, span, MOST_OF_LINE)}` : `${number}- ${cutEnd(text, MOST_OF_LINE)}`
}

function countMatches({ lines }: FileMatches): number {
  return lines.filter(({ span }) => span).length
}

function firstMatch({ lines }: FileMatches): number {
  return lines.find(({ span }) => span)?.number ?? 1
}

function skippedInWords({ unreadable, big, cut }: Skipped, { reach }: LineMatcher): string[] {
  return [
    ...(unreadable > 0 ? [`Files that could not be read: ${unreadable}.`] : []),
    ...(big > 0 ? [`Files over 20 MB, not searched: ${big}.`] : []),
    ...(cut > 0
      ? [`Lines over ${reach.toLocaleString("en")} characters, of which only that much was searched: ${cut}.`]
      : []),
  ]
}

function bracketed(notes: readonly string[]): string[] {
  return notes.length > 0 ? [`[${notes.join(" ")}]`] : []
}
