import type { Files } from "../runtime.ts"

/** Files that remember what was looked at through them. */
export interface LookedAt {
  readonly files: Files
  /** Whether anything of it is not as it was then. Nothing looked at is nothing changed. */
  hasChanged(): Promise<boolean>
  /** From now on only what is looked at anew counts. */
  forget(): void
}

/** Lets work that only looks be left out as long as it would see the same: one look at each place, side by side. */
export function lookedAt(files: Files): LookedAt {
  let seen = new Map<string, Promise<string>>()

  const stateOf = async (path: string): Promise<string> => {
    const info = await files.stat(path).catch(() => undefined)
    return info ? `${info.kind} ${info.size} ${info.changed}` : "nothing"
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
      const same = await Promise.all([...seen].map(async ([path, before]) => (await stateOf(path)) === (await before)))
      return same.includes(false)
    },
    forget() {
      seen = new Map()
    },
  }
}
