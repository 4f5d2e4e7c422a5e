import type { Entry, UserMessage } from "../agent/message.ts"
import type { Database, Runtime } from "../runtime.ts"
import { damagedIn, type EntryRow, entriesOf, isSaid, messageOf } from "./entry-row.ts"
import { OwnedDatabase } from "./owned.ts"
import {
  type Changes,
  type Listed,
  type ListedRow,
  listed,
  type NewSession,
  type Saved,
  type SavedSession,
  type SessionRow,
  savedSession,
} from "./saved.ts"
import { migrate } from "./schema.ts"
import { explained, noFolder, StoreError } from "./store-error.ts"
import { TaskStore } from "./task-store.ts"

export interface ListQuery {
  /** Of this folder only, with its links resolved. */
  folder?: string
  /** Where the page before ended. */
  cursor?: string
  limit: number
}

export interface Page {
  readonly sessions: readonly Listed[]
  /** Undefined on the last page. */
  readonly next: string | undefined
}

/** Opens the sessions of a folder, which becomes the user's alone if it is new. */
export async function openStore(runtime: Pick<Runtime, "files" | "openDatabase">, folder: string): Promise<Store> {
  await runtime.files.makeFolder(folder, { mode: 0o700 }).catch((error: unknown) => {
    throw noFolder(error, folder)
  })
  const path = `${folder}/sessions.sqlite`
  const db = await runtime.openDatabase(path).catch((error: unknown) => {
    throw explained(error, path)
  })
  try {
    return new Store(db, path)
  } catch (error) {
    db.close()
    throw error
  }
}

/** How many rows are read at a time: one row may hold pictures. */
const BATCH = 100

/**
 * Sessions on disk. What a method has written is there after a kill, and what it could not write has left nothing.
 * Only who has created or claimed a session last may write to it. Failures are {@link StoreError}s.
 */
export class Store {
  readonly #db: OwnedDatabase
  readonly #now: () => number
  readonly tasks: TaskStore

  constructor(db: Database, where: string, now: () => number = Date.now) {
    this.#db = new OwnedDatabase(db, where)
    this.#now = now
    this.tasks = new TaskStore(this.#db)
    migrate(this.#db, where)
  }

  close(): void {
    this.#db.close()
  }

  /** Does all of it or none. */
  atomically(work: () => void): void {
    this.#db.transaction(work)
  }

  create(session: NewSession): void {
    const { id, parent, cwd, folder, roots, title, mode, model, efforts, asked, plan = { entries: [] } } = session
    const now = this.#now()
    const insert = () =>
      this.#db.run(
        `INSERT INTO session
          (id, parent, owner, cwd, folder, roots, title, mode, model, efforts, asked, plan, created, updated)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        parent ?? null,
        this.#db.me,
        cwd,
        folder,
        JSON.stringify(roots),
        title === undefined ? null : plain(title),
        mode,
        model,
        JSON.stringify(Object.fromEntries(efforts)),
        JSON.stringify(asked),
        JSON.stringify(plan),
        now,
        now,
      )
    if (parent === undefined) this.#db.transaction(insert)
    else this.#db.write(parent, insert)
  }

  owns(id: string): boolean {
    return this.#db.owns(id)
  }

  /** Makes a session, with its subagents', this process's. Whoever had it writes no more. */
  claim(id: string): void {
    this.#db.transaction(() =>
      this.#db.run("UPDATE session SET owner = ? WHERE id = ? OR parent = ?", this.#db.me, id, id),
    )
  }

  /** Keeps a message until the agent reads it. */
  receive(session: string, message: UserMessage): void {
    this.#db.write(session, () => {
      this.#db.run(
        "INSERT INTO unread (session, id, json) VALUES (?, ?, ?)",
        session,
        message.id,
        JSON.stringify(message),
      )
      this.#db.run("UPDATE session SET said = 1, updated = ? WHERE id = ?", this.#now(), session)
    })
  }

  /** A message that the agent will not read any more. */
  forget(session: string, { id }: Pick<UserMessage, "id">): void {
    this.#db.write(session, () => this.#forget(session, id))
  }

  /** Writes the entry in its place. A message that was received is read with it. */
  append(session: string, seq: number, entry: Entry): void {
    this.#db.write(session, () => {
      const label = entry.role === "user" && entry.label !== undefined ? plain(entry.label) : null
      this.#db.run("INSERT INTO entry VALUES (?, ?, ?, ?)", session, seq, label, JSON.stringify(entry))
      if (entry.role === "user") this.#forget(session, entry.id)
      if (isSaid(entry)) this.#db.run("UPDATE session SET said = 1 WHERE id = ? AND said = 0", session)
    })
  }

  /** Says that the step which ends with so many entries is whole. */
  checkpoint(session: string, whole: number): void {
    this.#db.write(session, () =>
      this.#db.run("UPDATE session SET whole = ?, updated = ? WHERE id = ?", whole, this.#now(), session),
    )
  }

  /** Says that the turn has ended, in whatever way: nothing runs, and so many entries are whole. */
  settle(session: string, whole: number): void {
    this.#db.write(session, () =>
      this.#db.run(
        "UPDATE session SET whole = ?, settled = ?, updated = ? WHERE id = ?",
        whole,
        whole,
        this.#now(),
        session,
      ),
    )
  }

  /** Makes no step whole, and is no reason to be listed earlier. */
  change(session: string, { mode, model, efforts, title, plan }: Changes): void {
    this.#db.write(session, () =>
      this.#db.run(
        `UPDATE session SET mode = coalesce(?, mode), model = coalesce(?, model), efforts = coalesce(?, efforts),
          title = coalesce(?, title), plan = coalesce(?, plan) WHERE id = ?`,
        mode ?? null,
        model ?? null,
        efforts ? JSON.stringify(Object.fromEntries(efforts)) : null,
        title === undefined ? null : plain(title),
        plan ? JSON.stringify(plan) : null,
        session,
      ),
    )
  }

  /** A session without what was said in it; a subagent's is found by its parent only. */
  find(id: string, parent: string | null = null): SavedSession | undefined {
    const [row] = this.#db.all<SessionRow>(
      `SELECT id, cwd, folder, roots, title, mode, model, efforts, asked, plan, whole, settled, created, updated
        FROM session WHERE id = ? AND parent IS ?`,
      id,
      parent,
    )
    if (!row) return undefined
    const saved = savedSession(row)
    if (saved) return saved
    throw new StoreError("damaged", `Session "${id}" is damaged, and what it may do can't be read; begin a new one`)
  }

  /** Reads as far as it is asked to. What is damaged is replaced by words about it. */
  *entries(session: string): Generator<Entry> {
    yield* entriesOf(this.#rows(session))
  }

  unread(session: string): UserMessage[] {
    return this.#db
      .all<{ id: string; json: string }>("SELECT id, json FROM unread WHERE session = ? ORDER BY place", session)
      .map(messageOf)
  }

  load(id: string, parent: string | null = null): Saved | undefined {
    const session = this.find(id, parent)
    if (!session) return undefined
    const entries = [...this.entries(id)]
    return { ...session, entries, unread: this.unread(id), damaged: damagedIn(entries) }
  }

  /** A page of the sessions in which something was said, those of last first. Subagents' are not among them. */
  list({ folder, cursor, limit }: ListQuery): Page {
    const [updated, id] = cursor === undefined ? [Number.MAX_SAFE_INTEGER, ""] : placeOf(cursor)
    const here = folder === undefined ? "" : "AND folder = ?"
    const rows = this.#db.all<ListedRow>(
      `SELECT id, cwd, roots, title, updated FROM session
        WHERE parent IS NULL AND said = 1 ${here} AND (updated, id) < (?, ?) ORDER BY updated DESC, id DESC LIMIT ?`,
      ...(folder === undefined ? [] : [folder]),
      updated,
      id,
      limit + 1,
    )
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    return { sessions: shown.map(listed), next: last && `${last.updated}-${last.id}` }
  }

  /** Whoever owns it, with its subagents' sessions. False if there is none. */
  delete(id: string): boolean {
    let gone = false
    this.#db.transaction(() => {
      gone = this.#db.all("DELETE FROM session WHERE id = ? AND parent IS NULL RETURNING id", id).length > 0
    })
    return gone
  }

  /**
   * Where a branch before the latest message of that label ends, or one that has everything if there is no label:
   * nothing past the last whole step is taken. Undefined without such a message.
   */
  branchPoint(session: string, label?: string): number | undefined {
    const [row] =
      label === undefined
        ? this.#db.all<{ at: number | null }>("SELECT whole AS at FROM session WHERE id = ?", session)
        : this.#db.all<{ at: number | null }>(
            `SELECT min(whole, (SELECT max(seq) FROM entry WHERE session = session.id AND label = ?)) AS at
              FROM session WHERE id = ?`,
            plain(label),
            session,
          )
    return row?.at ?? undefined
  }

  /** Copies a session's first entries to a new one. What is said never changes, so a copy is as good as the source. */
  copy(source: string, target: string, upTo: number): void {
    this.#db.write(target, () => {
      this.#db.run(
        "INSERT INTO entry SELECT ?, seq, label, json FROM entry WHERE session = ? AND seq < ?",
        target,
        source,
        upTo,
      )
      const said = this.entries(target).some(isSaid) ? 1 : 0
      this.#db.run("UPDATE session SET said = ?, whole = ?, settled = ? WHERE id = ?", said, upTo, upTo, target)
    })
  }

  /** The same message may have been received twice: the first goes. */
  #forget(session: string, id: string): void {
    this.#db.run(
      "DELETE FROM unread WHERE place = (SELECT min(place) FROM unread WHERE session = ? AND id = ?)",
      session,
      id,
    )
  }

  *#rows(session: string): Generator<EntryRow> {
    const sql = "SELECT seq, json FROM entry WHERE session = ? AND seq >= ? ORDER BY seq LIMIT ?"
    for (let from = 0; ; ) {
      const rows = this.#db.all<EntryRow>(sql, session, from, BATCH)
      yield* rows
      const last = rows.at(-1)
      if (!last || rows.length < BATCH) return
      from = last.seq + 1
    }
  }
}

/** A NUL would end the text on some platforms. */
function plain(text: string): string {
  return text.replaceAll("\0", "\ufffd")
}

function placeOf(cursor: string): [updated: number, id: string] {
  const [, updated, id] = /^(\d{1,15})-(.+)$/.exec(cursor) ?? []
  if (updated !== undefined && id !== undefined) return [Number(updated), id]
  throw new StoreError("bad_cursor", `There is no page at "${cursor}"; leave the cursor out to begin at the first one`)
}
