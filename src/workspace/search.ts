import { FileError, type Files } from "../runtime.ts"
import type { LineMatcher } from "../text/line-matcher.ts"
import { linesOf } from "../text/truncate.ts"
import { decode } from "./encoding.ts"
import { restingNowAndThen } from "./resting.ts"
import type { Sieve } from "./ripgrep.ts"

/** A file with lines that match. */
export interface FileMatches {
  path: string
  /** In order, with those around them. */
  lines: readonly FoundLine[]
  /** So many more lines match. */
  more: number
}

export interface FoundLine {
  /** From 1. */
  number: number
  text: string
  /** Where it matches; a line around a match has none. */
  span?: { start: number; end: number }
}

/** What a search passes over, counted while it goes on. */
export interface Skipped {
  unreadable: number
  /** Too big to be read. */
  big: number
  /** No texts. */
  binary: number
  /** Lines of which only the beginning was searched. */
  cut: number
}

export interface Search {
  matcher: LineMatcher
  /** How many lines are shown around a match. */
  context: number
  /** How many matches are shown of one file. */
  most: number
}

/** Bytes. A file larger than this is no source text. */
export const BIGGEST_FILE = 20_000_000

/** Files read ahead while one is searched. */
const AHEAD = 16

/** Files sieved together, and the characters of their names: a command line holds no more. */
const BATCH = 4_000
const BATCH_LENGTH = 100_000
const BATCH_LENGTH_ON_WINDOWS = 28_000

/** The files among these that match, in the given order; texts are read from the disk, what is no text is passed over. */
export async function* search(
  files: Files,
  paths: AsyncIterable<string>,
  { matcher, context, most }: Search,
  skipped: Skipped,
  sieve: Sieve | undefined,
  signal: AbortSignal,
): AsyncGenerator<FileMatches> {
  const rest = restingNowAndThen(signal)
  const likely = sieve ? sieved(paths, (batch) => sieve(batch, matcher, signal)) : paths
  for await (const { path, bytes } of readAhead(files, likely, skipped, signal)) {
    await rest()
    const decoded = bytes && decode(bytes)
    if (bytes && !decoded) skipped.binary++
    if (!decoded) continue
    const text = decoded.text.includes("\n") ? decoded.text : decoded.text.replaceAll("\r", "\n")
    const ascii = decoded.encoding === "utf-8" && !decoded.mark && text.length === bytes.length
    const found = await matchesIn(text, ascii, matcher, skipped, rest)
    if (found.length > 0)
      yield { path, lines: withContext(text, found.slice(0, most), context), more: Math.max(0, found.length - most) }
  }
}

async function matchesIn(
  text: string,
  ascii: boolean,
  matcher: LineMatcher,
  skipped: Skipped,
  rest: () => Promise<void> | undefined,
): Promise<FoundLine[]> {
  const found: FoundLine[] = []
  if (!matcher.mayMatch(text)) return found
  let number = 0
  let work = 0
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from)
    const next = end < 0 ? text.length : end + 1
    const line = text.slice(from, end < 0 ? text.length : text[end - 1] === "\r" && end > from ? end - 1 : end)
    number++
    const span = matcher.find(line, ascii)
    if (span) found.push({ number, text: line, span })
    if (line.length > matcher.reach) skipped.cut++
    if ((work += next - from + 20) > PIECE) {
      await rest()
      work = 0
    }
    from = next
  }
  return found
}

/** Characters searched before the clock is looked at. */
const PIECE = 5_000

function withContext(text: string, found: readonly FoundLine[], context: number): FoundLine[] {
  if (context === 0) return [...found]
  const all = linesOf(text)
  const shown = new Map<number, FoundLine>()
  for (const { number } of found) {
    for (let near = Math.max(1, number - context); near <= Math.min(all.length, number + context); near++) {
      shown.set(near, { number: near, text: all[near - 1]! })
    }
  }
  for (const line of found) shown.set(line.number, line)
  return [...shown.values()].sort((a, b) => a.number - b.number)
}

async function* sieved(
  paths: AsyncIterable<string>,
  sieve: (batch: readonly string[]) => Promise<ReadonlySet<string> | undefined>,
): AsyncGenerator<string> {
  for await (const batch of batches(paths)) {
    const likely = await sieve(batch)
    for (const path of batch) if (likely?.has(path) ?? true) yield path
  }
}

async function* batches(paths: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = []
  let length = 0
  for await (const path of paths) {
    const most = path.startsWith("/") ? BATCH_LENGTH : BATCH_LENGTH_ON_WINDOWS
    if (batch.length === BATCH || length + path.length > most) {
      yield batch
      batch = []
      length = 0
    }
    batch.push(path)
    length += path.length + 1
  }
  if (batch.length > 0) yield batch
}

interface Loaded {
  path: string
  bytes: Uint8Array | undefined
}

async function* readAhead(
  files: Files,
  paths: AsyncIterable<string>,
  skipped: Skipped,
  signal: AbortSignal,
): AsyncGenerator<Loaded> {
  const coming: Promise<Loaded>[] = []
  for await (const path of paths) {
    const loading = load(files, path, skipped, signal)
    loading.catch(() => {}) // it is awaited below, if anybody still wants it
    coming.push(loading)
    if (coming.length === AHEAD) yield await coming.shift()!
  }
  for (const loading of coming) yield await loading
}

async function load(files: Files, path: string, skipped: Skipped, signal: AbortSignal): Promise<Loaded> {
  try {
    const info = await files.stat(path)
    if (info?.kind === "file" && info.size <= BIGGEST_FILE) return { path, bytes: await files.read(path, signal) }
    if (info?.kind === "file") skipped.big++
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    skipped.unreadable++
  }
  return { path, bytes: undefined }
}
