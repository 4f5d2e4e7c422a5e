import type { OwnedDatabase } from "./owned.ts"

/** A subagent's task; both its snapshot and its role's are JSON. */
export interface SavedTask {
  readonly id: string
  readonly snapshot: string
  readonly role: string
}

/** A report on its way to the model. */
export interface SavedDelivery {
  readonly id: string
  readonly task: string
  readonly text: string
  readonly state: "waiting" | "handed" | "confirmed" | "returned"
}

/** The tasks of a session's subagents, and what they report. */
export class TaskStore {
  readonly #db: OwnedDatabase

  constructor(db: OwnedDatabase) {
    this.#db = db
  }

  /** Writes a task, or how it stands now. */
  save(session: string, { id, snapshot, role }: SavedTask): void {
    const sql = `INSERT INTO task (session, id, snapshot, role) VALUES (?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET snapshot = excluded.snapshot, role = excluded.role`
    this.#db.write(session, () => this.#db.run(sql, session, id, snapshot, role))
  }

  /** In the order in which they began. */
  of(session: string): SavedTask[] {
    return this.#db.all("SELECT id, snapshot, role FROM task WHERE session = ? ORDER BY place", session)
  }

  /** Writes a delivery, or how it stands now. It keeps its place in the queue. */
  saveDelivery(session: string, { id, task, text, state }: SavedDelivery): void {
    const sql = `INSERT INTO delivery (session, id, task, text, state) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET state = excluded.state`
    this.#db.write(session, () => this.#db.run(sql, session, id, task, text, state))
  }

  /** Those that the model has not answered. */
  deliveriesOf(session: string): SavedDelivery[] {
    const sql = `SELECT id, task, text, state FROM delivery
      WHERE session = ? AND state <> 'confirmed' ORDER BY place`
    return this.#db.all(sql, session)
  }
}
