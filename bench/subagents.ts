import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { createServer } from "../runtime/node/mod.ts"
import { NO_USAGE, textOf } from "../src/agent/message.ts"
import type { Model, ModelEvent, ModelRequest } from "../src/agent/model.ts"
import { median } from "./median.ts"
import { word } from "./words.ts"

/**
 * What subagents cost by themselves: `node bench/subagents.ts`. It runs in one process with a model that answers at once, so that
 * all the time that passes is ours.
 */

/** Those that work at a time. */
const AT_ONCE = 10
const RUNS = 15
/** Deltas of the parent, and how long each takes. */
const DELTAS = 200
const EACH_MS = 5
/** What ten subagents say in a second, together. */
const STORM = 1_000

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

if (import.meta.main) {
  for (const store of [false, true]) {
    console.log(store ? "\nwith a store" : "without a store")
    await withAgent(store, async (agent) => {
      await agent.prompt("start 10") // fills caches
      const took: number[] = []
      for (let run = 0; run < RUNS; run++) took.push(await startOfTen(agent))
      print(
        "a start of ten, all at work",
        `${median(took).toFixed(1)} ms`,
        `from ${Math.min(...took).toFixed(1)} to ${Math.max(...took).toFixed(1)} ms`,
      )
    })
    for (const [what, words] of [
      ["subagents", "start 10"],
      ["calls that list a folder", "look"], // so much of it is the conversation
    ] as const) {
      await withAgent(store, async (agent) => {
        const before = await heapMb()
        for (const total of [100, 200, 300, 400]) {
          for (let at = 0; at < 100; at += AT_ONCE) await agent.prompt(words)
          print(`heap after ${total} ${what}`, `${((await heapMb()) - before).toFixed(2)} MB more`)
        }
      })
    }
    await withAgent(store, async (agent) => {
      const calm = await delays(agent, "speak")
      await agent.prompt("storm")
      const stormy = await delays(agent, "speak")
      print("a delta of the parent on its way", inWords(calm))
      print(`the same, ${STORM} activities a second`, inWords(stormy), `${agent.told()} updates of subagents`)
    })
  }
}

type Agent = Awaited<ReturnType<typeof open>>

async function withAgent(store: boolean, work: (agent: Agent) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "koda-bench-"))
  const settings = { localModels: false, subagents: { maxConcurrent: AT_ONCE } }
  await writeFile(join(folder, "settings.json"), JSON.stringify(settings))
  process.env["KODA_CLI_HOME"] = folder
  const agent = await open(folder, store)
  try {
    await work(agent)
  } finally {
    await agent.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** An agent on a model that is told what to do by prompts, and its client. */
async function open(folder: string, store: boolean) {
  const marks = { askedMs: 0, startedMs: 0, children: 0, said: [] as number[] }
  const model = modelWith(marks)
  const server = createServer({ models: [{ model }], ...(store && { sessionStore: join(folder, "store") }) })
  const toAgent = new TransformStream<Uint8Array, Uint8Array>()
  const toClient = new TransformStream<Uint8Array, Uint8Array>()
  server.connect(toAgent.readable, toClient.writable)
  const heard: { atMs: number; words: number }[] = []
  let updates = 0
  const client = speak(toAgent.writable, toClient.readable, (update) => {
    if (update.sessionUpdate === "subagent_update") updates++
    if (update.sessionUpdate === "agent_message_chunk")
      heard.push({ atMs: performance.now(), words: update.content?.text.match(/w\d+ /g)?.length ?? 0 })
  })
  await client.request("initialize", { protocolVersion: 1, clientCapabilities: { subagents: true } })
  const { sessionId } = await client.request("session/new", { cwd: folder, mcpServers: [] })
  return {
    marks,
    heard,
    told: () => updates,
    prompt: (text: string) => client.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }),
    close: () => server.close(),
  }
}

/** From the end of the parent's reply to the moment at which the last of ten asks its model. */
async function startOfTen({ marks, prompt }: Agent): Promise<number> {
  marks.children = 0
  await prompt(`start ${AT_ONCE}`)
  return marks.startedMs - marks.askedMs
}

/** How long each delta of the parent took to reach the client. */
async function delays({ marks, heard, prompt }: Agent, text: string): Promise<number[]> {
  marks.said = []
  heard.length = 0
  await prompt(text)
  const held: number[] = []
  for (const { atMs, words } of heard) {
    for (let at = 0; at < words; at++) held.push(atMs - marks.said[held.length]!)
  }
  if (held.length !== DELTAS) throw new Error(`${held.length} of ${DELTAS} deltas came`)
  return held
}

function modelWith(marks: { askedMs: number; startedMs: number; children: number; said: number[] }): Model {
  return {
    id: "bench",
    contextWindow: 1_000_000,
    takes: { image: false, audio: false },
    async *stream(request, signal): AsyncIterable<ModelEvent> {
      const words = lastPrompt(request)
      if (request.task !== undefined) {
        marks.children++
        if (marks.children === AT_ONCE) marks.startedMs = performance.now()
        if (words === "storm") {
          for (let at = 0; ; at++) {
            await sleep((1000 * AT_ONCE) / STORM, undefined, { signal })
            yield { type: "text", delta: word(at) }
          }
        }
        // What it thinks is its own; its parent keeps the last words alone.
        const hasLooked = request.messages.at(-1)?.role === "tool"
        yield { type: "text", delta: hasLooked ? "Found it." : "Let me see. ".repeat(2_000) }
        if (!hasLooked) yield { type: "call", call: { id: "look", name: "list_directory", input: { path: "." } } }
        const stop = hasLooked ? "end_turn" : "tool_use"
        yield { type: "end", stop, usage: { ...NO_USAGE, input: 10 } }
        return
      }
      const isFirst = request.messages.at(-1)?.role === "user"
      if (words === "speak") {
        for (let at = 0; at < DELTAS; at++) {
          marks.said.push(performance.now())
          yield { type: "text", delta: word(at) }
          await sleep(EACH_MS)
        }
      } else if (isFirst) {
        for (let at = 0; at < AT_ONCE; at++) yield { type: "call", call: callFor(words) }
        marks.askedMs = performance.now()
        yield { type: "end", stop: "tool_use", usage: { ...NO_USAGE, input: 10 } }
        return
      } else yield { type: "text", delta: "Done." }
      yield { type: "end", stop: "end_turn", usage: { ...NO_USAGE, input: 10 } }
    },
  }
}

/** Research that holds the next reply; or work in the background, beside which the parent speaks. */
function callFor(words: string): { id: string; name: string; input: object } {
  const id = crypto.randomUUID()
  if (words === "look") return { id, name: "list_directory", input: { path: "." } }
  if (words !== "storm") return { id, name: "run_subagent", input: { description: "look", prompt: "look" } }
  return { id, name: "sub_agent", input: { agent: "research", goal: words, background: true } }
}

function lastPrompt({ messages }: ModelRequest): string {
  const last = messages.findLast((message) => message.role === "user" && !message.hidden)
  return last?.role === "user" ? textOf(last.content).trim() : ""
}

async function heapMb(): Promise<number> {
  await sleep(200)
  for (let time = 0; time < 3; time++) collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}

function inWords(held: readonly number[]): string {
  return `${median(held).toFixed(2)} ms, the slowest ${Math.max(...held).toFixed(1)} ms`
}

function print(what: string, ...values: string[]): void {
  console.log(`  ${what.padEnd(44)} ${values.join(", ")}`)
}

interface Update {
  sessionUpdate: string
  content?: { text: string }
}

// biome-ignore lint/suspicious/noExplicitAny: results of every shape
type Loose = any

function speak(
  writable: WritableStream<Uint8Array>,
  readable: ReadableStream<Uint8Array>,
  heard: (update: Update) => void,
): { request(method: string, params: object): Promise<Loose> } {
  const writer = writable.getWriter()
  const encoder = new TextEncoder()
  const waiting = new Map<number, (message: Loose) => void>()
  let lastId = 0
  void listen()
  return {
    async request(method, params) {
      const id = ++lastId
      const answer = new Promise<Loose>((resolve) => waiting.set(id, resolve))
      void writer.write(encoder.encode(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`))
      const { result, error } = await answer
      if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
      return result
    },
  }

  async function listen(): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ""
    for await (const bytes of readable) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        const message = JSON.parse(line)
        if (message.method === "session/update") heard(message.params.update)
        else if (message.method === undefined) {
          waiting.get(message.id)?.(message)
          waiting.delete(message.id)
        }
      }
    }
  }
}
