import assert from "node:assert/strict"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { failsWith } from "./files.contract.ts"
import type { Suite } from "./suite.ts"

export function databaseContract({ test, runtime }: Suite): void {
  const { openDatabase } = runtime

  test("database: rows survive reopening, with every kind of value, and the file is its owner's alone", async (folder) => {
    const path = join(folder, "a.sqlite")
    const first = await openDatabase(path)
    first.run("CREATE TABLE t (a TEXT, b INTEGER, c REAL, d BLOB, e TEXT); CREATE INDEX i ON t (a)")
    first.run("INSERT INTO t VALUES (?, ?, ?, ?, ?)", "é", 3n, 1.5, new Uint8Array([0, 255]), null)
    first.close()
    first.close()
    const second = await openDatabase(path)
    const rows = second.all<{ d: Uint8Array }>("SELECT * FROM t WHERE a = ?", "é")
    assert.deepEqual(
      rows.map((row) => ({ ...row, d: [...row.d] })),
      [{ a: "é", b: 3, c: 1.5, d: [0, 255], e: null }],
    )
    second.close()
    assert.equal((await stat(path)).mode & 0o777, 0o600)
  })

  test("database: a transaction does all of it or none, one inside another too", async () => {
    const db = await openDatabase(":memory:")
    const all = () => db.all<{ a: string }>("SELECT a FROM t ORDER BY a").map(({ a }) => a)
    db.run("CREATE TABLE t (a TEXT)")
    const add = (text: string) => db.run("INSERT INTO t VALUES (?)", text)
    const failing = (text: string) => () => {
      add(text)
      throw new Error("stop")
    }
    db.transaction(() => add("1"))
    assert.throws(() => db.transaction(failing("lost")), /stop/)
    db.transaction(() => {
      add("2")
      assert.throws(() => db.transaction(failing("lost, too")), /stop/)
      db.transaction(() => add("3"))
    })
    assert.deepEqual(all(), ["1", "2", "3"])
    db.close()
  })

  test("database: two that have the same file open wait for each other", async (folder) => {
    const [one, two] = [await openDatabase(join(folder, "a")), await openDatabase(join(folder, "a"))]
    one.run("CREATE TABLE t (a INTEGER)")
    for (let i = 0; i < 50; i++) (i % 2 ? one : two).run("INSERT INTO t VALUES (?)", i)
    assert.deepEqual(one.all("SELECT count(*) AS rows FROM t"), [{ rows: 50 }])
    one.close()
    two.close()
  })

  test("database: what can't be opened says which file", async (folder) => {
    await assert.rejects(openDatabase(join(folder, "no/a")), failsWith("not_found", join(folder, "no/a")))
    await assert.rejects(openDatabase(folder), failsWith("is_folder", folder))
  })
}
