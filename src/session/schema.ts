import type { Database } from "../runtime.ts"
import { StoreError } from "./store-error.ts"

/** What makes each version of the tables of the one before; the first begins with nothing. Never changed, only added to. */
export const STEPS: readonly string[] = [
  `
  CREATE TABLE session (
    id TEXT PRIMARY KEY,
    parent TEXT REFERENCES session (id) ON DELETE CASCADE,
    owner TEXT NOT NULL,
    cwd TEXT NOT NULL,
    folder TEXT NOT NULL,
    roots TEXT NOT NULL,
    title TEXT,
    mode TEXT NOT NULL,
    model TEXT NOT NULL,
    efforts TEXT NOT NULL,
    asked TEXT NOT NULL,
    plan TEXT NOT NULL,
    said INTEGER NOT NULL DEFAULT 0,
    whole INTEGER NOT NULL DEFAULT 0,
    settled INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL
  );
  CREATE INDEX session_parent ON session (parent);
  CREATE INDEX session_listed ON session (updated, id) WHERE parent IS NULL AND said = 1;
  CREATE INDEX session_listed_of ON session (folder, updated, id) WHERE parent IS NULL AND said = 1;

  CREATE TABLE entry (
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    label TEXT,
    json TEXT NOT NULL,
    PRIMARY KEY (session, seq)
  );
  CREATE INDEX entry_label ON entry (session, label) WHERE label IS NOT NULL;

  CREATE TABLE unread (
    place INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    json TEXT NOT NULL
  );
  CREATE INDEX unread_session ON unread (session, id);

  CREATE TABLE task (
    place INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    id TEXT NOT NULL UNIQUE,
    snapshot TEXT NOT NULL,
    role TEXT NOT NULL
  );
  CREATE INDEX task_session ON task (session);

  CREATE TABLE delivery (
    place INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    id TEXT NOT NULL UNIQUE,
    task TEXT NOT NULL,
    text TEXT NOT NULL,
    state TEXT NOT NULL
  );
  CREATE INDEX delivery_session ON delivery (session);
  `,
]

/** Brings the tables to the last version, each step whole or not at all. What a later koda wrote is left as it is. */
export function migrate(db: Database, where: string, steps: readonly string[] = STEPS): void {
  while (stepFrom(db, where, steps));
}

/** One transaction for one version: another process may be doing the same. */
function stepFrom(db: Database, where: string, steps: readonly string[]): boolean {
  if (versionOf(db, where, steps) === steps.length) return false
  db.transaction(() => {
    const version = versionOf(db, where, steps)
    const step = steps[version]
    if (step === undefined) return
    db.run(step)
    db.run(`PRAGMA user_version = ${version + 1}`)
  })
  return true
}

function versionOf(db: Database, where: string, steps: readonly string[]): number {
  const version = db.all<{ user_version: number }>("PRAGMA user_version")[0]?.user_version ?? 0
  if (version <= steps.length) return version
  throw new StoreError(
    "newer",
    `"${where}" was written by a newer koda (version ${version}, and this one knows ${steps.length}); update koda, or ` +
      "keep its sessions in another folder. Nothing was changed",
  )
}
