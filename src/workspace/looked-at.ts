import type { Files } from "../runtime.ts"

/** Files that remember what was looked at through them. */
export interface LookedAt {
  readonly files: Files
  /** Whether anything of it is not as it was then. Nothing looked at is nothing changed. */
  hasChanged(): Promise<boolean>
  /** From now on only what is looked at anew counts. */
  forget(): void
}

/** What changes again within so many milliseconds may keep its time: clocks of files are not finer. */
const CLOCK_MS = 20

/** Lets work that only looks be left out as long as it would see the same: one look at each place, side by side. */
export function lookedAt(files: Files, now: () => number = Date.now): LookedAt {
  let seen = new Map<string, Promise<string | undefined>>()

  /** Undefined if the next change may leave it as it is. */
  const stateOf = async (path: string): Promise<string | undefined> => {
    const at = now()
    const info = await files.stat(path).catch(() => undefined)
    if (!info) return "nothing"
    return at - info.changed < CLOCK_MS ? undefined : `${info.kind} ${info.size} ${info.changed}`
  }
  /** Taken before the look: what changes meanwhile is seen as changed, and never missed. */
  const note = async (path: string): Promise<void> => {
    const state = seen.get(path) ?? stateOf(path)
    seen.set(path, state)
    await state
  }
  const noting =
    <Rest extends unknown[], Found>(look: (path: string, ...rest: Rest) => Promise<Found>) =>
    async (path: string, ...rest: Rest): Promise<Found> => {
      await note(path)
      return await look(path, ...rest)
    }
  return {
    files: {
      ...files,
      read: noting(files.read),
      readText: noting(files.readText),
      stat: noting(files.stat),
      list: noting(files.list),
      realPath: noting(files.realPath),
      readLink: noting(files.readLink),
    },
    async hasChanged() {
      const states = await Promise.all([...seen].map(async ([path, before]) => [await before, await stateOf(path)]))
      return states.some(([before, now]) => before === undefined || before !== now)
    },
    forget() {
      seen = new Map()
    },
  }
}

/**
 * Work that only looks, done for many at once: whoever asks while it is done waits for the next time, as do all who ask
 * until that begins.
 */
export function shared<Found>(look: () => Promise<Found>): () => Promise<Found> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<Found> | undefined
  return () => {
    if (next) return next
    next = last.then(() => {
      next = undefined
      return look()
    })
    last = next.catch(() => {}) // told to whoever asked
    return next
  }
}
