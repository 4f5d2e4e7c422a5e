import { writeSync } from "node:fs"
import process from "node:process"
import { openDatabase } from "../../runtime/node/database.ts"
import { nodeFiles } from "../../runtime/node/files.ts"
import { userText } from "../../src/agent/message.ts"
import { openStore } from "../../src/session/store.ts"

// Writes to a session for ever, and says after each write how many entries, whole entries and messages are there.
const [folder = "", id = "", limit = "Infinity"] = process.argv.slice(2)
const store = await openStore({ files: nodeFiles(), openDatabase }, folder)
const cwd = "/project"
store.create({ id, cwd, folder: cwd, roots: [cwd], mode: "code", model: "m", efforts: new Map(), asked: {} })
for (let seq = 0; seq < Number(limit); seq++) {
  const message = userText(`${seq} ${"x".repeat(seq % 300)}`)
  store.receive(id, message)
  say(`${seq} ${seq} 1\n`)
  store.append(id, seq, message)
  say(`${seq + 1} ${seq} 0\n`)
  store.checkpoint(id, seq + 1)
  say(`${seq + 1} ${seq + 1} 0\n`)
}
store.close()

/** A pipe that is full is written to again: what is said must have left before the next write to the store. */
function say(line: string): void {
  for (let left = line; left !== ""; ) {
    try {
      left = left.slice(writeSync(1, left))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error
    }
  }
}
