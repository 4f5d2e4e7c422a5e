import type { Database, SqlValue } from "../runtime.ts"
import { explained, StoreError } from "./store-error.ts"

/** The database, in which each session belongs to the process that has created or claimed it last. */
export class OwnedDatabase implements Database {
  readonly #db: Database
  readonly #where: string
  /** By which this process is told from all others. */
  readonly me: string = crypto.randomUUID()

  constructor(db: Database, where: string) {
    this.#db = db
    this.#where = where
  }

  close(): void {
    this.#db.close()
  }

  run(sql: string, ...values: SqlValue[]): void {
    this.#explaining(() => this.#db.run(sql, ...values))
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#explaining(() => this.#db.all<Row>(sql, ...values))
  }

  transaction(work: () => void): void {
    this.#explaining(() => this.#db.transaction(work))
  }

  /** Whether we were the last to create or claim it. */
  owns(session: string): boolean {
    const [row] = this.all<{ owner: string }>("SELECT owner FROM session WHERE id = ?", session)
    return row?.owner === this.me
  }

  /** Does all of it or none, and only for a session that is still ours. */
  write(session: string, work: () => void): void {
    this.transaction(() => {
      const [row] = this.all<{ owner: string }>("SELECT owner FROM session WHERE id = ?", session)
      if (!row) throw new StoreError("deleted", `Session "${session}" has been deleted`)
      if (row.owner !== this.me)
        throw new StoreError("taken_over", `Session "${session}" was opened elsewhere, and goes on there`)
      work()
    })
  }

  #explaining<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw explained(error, this.#where)
    }
  }
}
