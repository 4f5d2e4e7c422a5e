import { realpath } from "node:fs/promises"
import { join } from "node:path"
import { openDatabase } from "../runtime/node/database.ts"
import { nodeFiles } from "../runtime/node/files.ts"
import { type Entry, NO_USAGE, textContent, userText } from "../src/agent/message.ts"
import { openStore, type Store } from "../src/session/store.ts"
import { clockMs } from "./clock.ts"
import { median } from "./median.ts"
import { initialize, type Stage, type Values } from "./stage.ts"
import { words } from "./words.ts"

/** Entries of the session that is loaded, and sessions of the list. */
const ENTRIES = 10_000
const SESSIONS = 1_000
const TIMES = 7

/** A session of 10,000 entries that lies in the store, asked for by the first message after `initialize`. */
export async function load(stage: Stage): Promise<Values> {
  const id = await kept(stage, async (store, cwd) => conversation(store, "long", cwd, ENTRIES))
  const agent = stage.start({ KODA_ACP_SESSION_STORE_DIR: stage.store })
  await initialize(agent)
  agent.updates.length = 0
  const askedMs = clockMs()
  const { atMs } = await agent.request("session/load", { sessionId: id, cwd: stage.folder, mcpServers: [] })
  const told = agent.updates.filter(({ atMs: at }) => at <= atMs)
  if (told.length < ENTRIES) throw new Error(`${told.length} updates of ${ENTRIES} entries came before the answer`)
  agent.updates.length = 0
  const againMs = clockMs()
  await agent.request("session/load", { sessionId: id, cwd: stage.folder, mcpServers: [] })
  return {
    loadFirst: told[0]!.atMs - askedMs,
    loadWhole: atMs - askedMs,
    loadAgain: agent.updates[0]!.atMs - againMs,
  }
}

/** The first page of 1,000 sessions: of a process that has just begun, and of one that is at work. */
export async function list(stage: Stage): Promise<Values> {
  await kept(stage, async (store, cwd) => {
    for (let at = 0; at < SESSIONS; at++) conversation(store, `s${at}`, cwd, 4)
    return ""
  })
  const agent = stage.start({ KODA_ACP_SESSION_STORE_DIR: stage.store })
  await initialize(agent)
  const took: number[] = []
  for (let time = 0; time <= TIMES; time++) {
    const askedMs = clockMs()
    const { atMs, result } = await agent.request("session/list", { cwd: stage.folder })
    if (result.sessions.length === 0) throw new Error("no session is listed")
    took.push(atMs - askedMs)
  }
  const [first = Number.NaN, ...later] = took
  return { listCold: first, list: median(later) }
}

async function kept({ store: folder, folder: cwd }: Stage, fill: (store: Store, cwd: string) => Promise<string>) {
  const store = await openStore({ files: nodeFiles(), openDatabase }, folder)
  try {
    return await fill(store, await realpath(cwd))
  } finally {
    store.close()
  }
}

/** Turns of a prompt, a call, its result and an answer, as a session keeps them. */
function conversation(store: Store, id: string, cwd: string, entries: number): string {
  const session = {
    id,
    cwd,
    folder: cwd,
    roots: [cwd],
    mode: "code",
    model: "bench-model",
    efforts: new Map(),
    asked: {},
  } as const
  store.atomically(() => {
    store.create({ ...session, title: `Session ${id}` })
    for (let seq = 0; seq < entries; seq++) store.append(id, seq, entry(seq, cwd))
    store.settle(id, entries)
  })
  return id
}

function entry(seq: number, cwd: string): Entry {
  const call = `call-${seq - (seq % 4)}`
  switch (seq % 4) {
    case 0:
      return userText(`bench: say ${seq}`)
    case 1: {
      const calls = [{ id: call, name: "read_file", input: { path: "notes.txt" } }]
      return { role: "assistant", id: `reply-${seq}`, content: [], calls, stop: "tool_use", usage: NO_USAGE }
    }
    case 2: {
      const content = textContent(words(200))
      const shown = {
        title: "Read notes.txt",
        kind: "read",
        locations: [{ path: join(cwd, "notes.txt") }],
        display: content,
      } as const
      return { role: "result", id: call, name: "read_file", status: "ok", content, shown }
    }
    default:
      return {
        role: "assistant",
        id: `reply-${seq}`,
        content: textContent(words(50)),
        calls: [],
        stop: "end_turn",
        usage: NO_USAGE,
      }
  }
}
