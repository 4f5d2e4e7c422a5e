import { type Outcome, textOutcome } from "../agent/tool.ts"
import type { Change, Current, Edit } from "../workspace/documents.ts"
import { shownPath } from "../workspace/paths.ts"
import { placeOf } from "../workspace/places.ts"
import type { Workspace } from "../workspace/workspace.ts"
import type { Plan } from "./define.ts"
import { diffsOf, excerptsOf, locationsOf } from "./shown-change.ts"

/** A change to files, that can be worked out any number of times. */
export interface Editing {
  /** Absolute. */
  paths: readonly string[]
  /** Throws an Error whose message tells the model what to do instead. */
  edit(texts: ReadonlyMap<string, Current | undefined>): Edited
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
  const texts = new Map<string, Current | undefined>()
  for (const path of paths) texts.set(path, await documents.peek(path, signal))
  const planned = changesOf(texts, edit(texts))

  return {
    title: titleOf(workspace, texts),
    reach: { type: "files", reads: [], writes: paths },
    locations: planned.length > 0 ? locationsOf(planned) : paths.map((path) => ({ path })),
    display: diffsOf(planned),
    async run({ signal }) {
      for (const [at, path] of paths.entries()) {
        const place = await placeOf(files, path)
        if (place !== places[at])
          throw new Error(`${path} leads to ${place} now, and not to ${places[at]} as when it was judged`)
      }
      let words = ""
      const apply: Edit = (now) => {
        const edited = edit(now)
        words = edited.words
        return edited.texts
      }
      const changes = await documents.change(paths, apply, signal)
      return outcomeOf(workspace, words, planned, changes)
    },
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

function titleOf(workspace: Workspace, texts: ReadonlyMap<string, Current | undefined>): string {
  const [first, ...rest] = [...texts]
  const [path, current] = first!
  const verb = rest.length === 0 && !current ? "Create" : "Edit"
  return `${verb} ${shownPath(path, workspace)}${rest.length > 0 ? ` and ${rest.length} more` : ""}`
}
