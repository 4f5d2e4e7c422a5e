import { type Outcome, textOutcome } from "../agent/tool.ts"
import { FileError } from "../runtime.ts"
import type { Change, Current, Edit } from "../workspace/documents.ts"
import { nearWords } from "../workspace/meant.ts"
import { isWithin, pathWithin, shownPath } from "../workspace/paths.ts"
import { placeOf } from "../workspace/places.ts"
import type { Workspace } from "../workspace/workspace.ts"
import type { Plan } from "./define.ts"
import { diffsOf, excerptsOf, locationsOf } from "./shown-change.ts"

/** A change to files, that can be worked out any number of times. */
export interface Editing {
  /** Absolute. */
  paths: readonly string[]
  /** Throws an Error whose message tells the model what to do instead. */
  edit(texts: ReadonlyMap<string, Current | undefined>, signal: AbortSignal): Edited | Promise<Edited>
}

export interface Edited {
  texts: ReadonlyMap<string, string>
  /** What was done, for the model. */
  words: string
}

/**
 * Works out a change to show it before it is made; when it is made, it is worked out anew on what is there then, under
 * the lock.
 */
export async function planEdit(workspace: Workspace, editing: Editing, signal: AbortSignal): Promise<Plan> {
  const { documents, files } = workspace
  const { paths, edit } = editing
  const places = await Promise.all(paths.map((path) => placeOf(files, path)))
  const found = await preview(workspace, places, editing, signal)
  const [planned, cannot] = found instanceof Error ? [[], found] : [found]

  return {
    title: titleOf(workspace, paths, planned),
    reach: { type: "files", reads: [], writes: paths },
    locations: planned.length > 0 ? locationsOf(planned) : paths.map((path) => ({ path })),
    display: diffsOf(planned),
    ...(cannot && { cannot }),
    async run({ signal }) {
      if (cannot) throw cannot
      await sameLinks(workspace, paths, places)
      let words = ""
      const apply: Edit = async (now) => {
        const edited = await edit(now, signal)
        words = edited.words
        return edited.texts
      }
      const changes = await documents.change(paths, apply, signal)
      return outcomeOf(workspace, words, planned, changes)
    },
  }
}

/**
 * What would change now, or why nothing can. Of a file outside the workspace, or among the user's own settings and keys, the reason why that
 * can't be told is kept until it is allowed to be looked at: it quotes what is in there.
 */
async function preview(
  workspace: Workspace,
  places: readonly string[],
  { paths, edit }: Editing,
  signal: AbortSignal,
): Promise<Change[] | Error> {
  try {
    const texts = new Map<string, Current | undefined>()
    for (const path of paths) texts.set(path, await workspace.documents.peek(path, signal))
    return changesOf(texts, await edit(texts, signal))
  } catch (error) {
    signal.throwIfAborted()
    const [home = "", ...roots] = await Promise.all(
      [workspace.home, ...workspace.roots].map((folder) => placeOf(workspace.files, folder)),
    )
    const isOwn = (place: string) => pathWithin(home, place)?.startsWith(".") === true
    const isOpen = (place: string) =>
      roots.some((root) => isWithin(root, place) && !(isWithin(root, home) && isOwn(place)))
    if (places.every(isOpen)) return explained(workspace, paths, error)
    return []
  }
}

/** What is not there may be called otherwise. */
async function explained(workspace: Workspace, paths: readonly string[], error: unknown): Promise<Error> {
  const isMissing = (one: unknown) => one instanceof FileError && one.code === "not_found"
  if (!(error instanceof Error)) return new Error(String(error))
  if (!isMissing(error) && !isMissing(error.cause)) return error
  const there = await Promise.all(paths.map((path) => workspace.files.stat(path).catch(() => undefined)))
  const path = paths.find((_, at) => !there[at])
  const near = path === undefined ? "" : await nearWords(workspace, path, "")
  return new Error(`${error.message} ${near}`.trim())
}

async function sameLinks({ files }: Workspace, paths: readonly string[], places: readonly string[]): Promise<void> {
  for (const [at, path] of paths.entries()) {
    const place = await placeOf(files, path)
    if (place !== places[at]) {
      throw new Error(`${path} leads to ${place} now, and led to ${places[at]} when the edit was allowed. Try again.`)
    }
  }
}

async function outcomeOf(
  workspace: Workspace,
  words: string,
  planned: readonly Change[],
  changes: readonly Change[],
): Promise<Outcome> {
  if (changes.length === 0) return textOutcome(words)
  const name = (path: string) => shownPath(path, workspace)
  const moved = changes.filter(({ path, before }) => planned.find((change) => change.path === path)?.before !== before)
  const notes = [
    ...moved.map(
      ({ path }) => `${name(path)} had changed since this edit was shown; it was made to what is there now.`,
    ),
    ...changes.flatMap(({ path, note }) => (note ? [`${name(path)}: ${note}`] : [])),
  ]
  const text = [words, ...notes, await excerptsOf(changes, name)].filter((part) => part !== "").join("\n")
  return { ...textOutcome(text), display: diffsOf(changes), locations: locationsOf(changes) }
}

function changesOf(texts: ReadonlyMap<string, Current | undefined>, edited: Edited): Change[] {
  return [...edited.texts].flatMap(([path, after]) => {
    const before = texts.get(path)?.text
    if (before === after) return []
    return [{ path, before: before?.toWellFormed() ?? null, after: after.toWellFormed() }]
  })
}

function titleOf(workspace: Workspace, paths: readonly string[], planned: readonly Change[]): string {
  const more = paths.length > 1 ? ` and ${paths.length - 1} more` : ""
  const creates = paths.length === 1 && planned[0]?.before === null
  return `${creates ? "Create" : "Edit"} ${shownPath(paths[0]!, workspace)}${more}`
}
