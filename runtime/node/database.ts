import type { StatementSync } from "node:sqlite"
import type { Database, SqlValue } from "../../src/runtime.ts"
import { fileError } from "./file-error.ts"

/** Statements kept ready; a store has a few dozen. */
const STATEMENTS = 200

export async function openDatabase(path: string): Promise<Database> {
  await makePrivate(path)
  const { DatabaseSync } = await sqlite()
  const db = new DatabaseSync(path)
  db.exec(
    "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON",
  )

  const statements = new Map<string, StatementSync>()
  const prepared = (sql: string) => {
    const known = statements.get(sql)
    if (known) return known
    if (statements.size >= STATEMENTS) statements.clear()
    const statement = db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  let depth = 0
  let isOpen = true
  return {
    run(sql, ...values) {
      if (values.length === 0)
        db.exec(sql) // may hold several statements
      else prepared(sql).run(...values)
    },
    all<Row>(sql: string, ...values: SqlValue[]) {
      return prepared(sql)
        .all(...values)
        .map((row) => ({ ...(row as object) })) as Row[]
    },
    transaction(work) {
      const [begin, commit, rollback] = depth === 0 ? WHOLE : PART
      db.exec(begin)
      depth++
      try {
        work()
        db.exec(commit)
      } catch (error) {
        undo(() => db.exec(rollback))
        throw error
      } finally {
        depth--
      }
    },
    close() {
      if (!isOpen) return
      isOpen = false
      statements.clear()
      db.close()
    },
  }
}

const WHOLE = ["BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"] as const
const PART = ["SAVEPOINT part", "RELEASE part", "ROLLBACK TO part; RELEASE part"] as const

/** SQLite has undone it already where it can't go on; what failed before says why. */
function undo(rollback: () => void): void {
  try {
    rollback()
  } catch {
    // there is nothing left to undo
  }
}

/** What we keep is its owner's alone. SQLite gives the files beside it the same mode. */
async function makePrivate(path: string): Promise<void> {
  if (path === ":memory:") return
  try {
    const file = await process.getBuiltinModule("node:fs/promises").open(path, "a", 0o600)
    await file.close()
  } catch (error) {
    throw fileError(error, path)
  }
}

/** Node 22 calls it experimental on stderr; it is what we ship with. */
async function sqlite(): Promise<typeof import("node:sqlite")> {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule("node:sqlite")
  } finally {
    process.emitWarning = emitWarning
  }
}
