// Koda with a model of yours and its own tools: node docs/examples/own-model.mjs [folder]
// In this repository, `npm run build` first. Elsewhere, `npm install koda-acp`.

import { resolve } from "node:path"
import { createServer, ModelFailure } from "koda-acp/node"

/** @type {import("koda-acp/node").Model} */
const butler = {
  id: "butler",
  contextWindow: 100_000, // tokens, or undefined
  takes: { image: false, audio: false },
  async *stream({ messages, tools }, signal) {
    signal.throwIfAborted() // the user has stopped the turn: hand the signal on to what you call
    const usage = { input: 100, output: 20, cached: 0, thought: 0 }
    const last = messages.at(-1)
    if (last.role === "tool") {
      const [result] = last.results
      yield { type: "text", delta: `It holds ${textOf(result.content).split("\n").length} things.` }
      yield { type: "end", stop: "end_turn", usage }
      return
    }
    if (textOf(last.content).includes("fail")) throw new ModelFailure("quota", "The butler has the day off.")
    yield { type: "reasoning", delta: `I could use ${tools.length} tools; one will do.` }
    yield { type: "call", call: { id: crypto.randomUUID(), name: "list_directory", input: { path: "." } } }
    yield { type: "end", stop: "tool_use", usage }
  },
}

// The first of the models is the default, whatever the user has set up besides.
const server = createServer({ models: [{ model: butler, name: "Butler", description: "Counts what is in a folder" }] })

const [toAgent, toClient] = [new TransformStream(), new TransformStream()]
server.connect(toAgent.readable, toClient.writable)
const writer = toAgent.writable.getWriter()
const answers = new Map()
void listen()

await request("initialize", { protocolVersion: 1, clientInfo: { name: "own-model", version: "1.0.0" } })
const cwd = resolve(process.argv[2] ?? ".")
const { sessionId } = await request("session/new", { cwd, mcpServers: [] })
for (const text of ["What is here?", "Now fail"]) {
  const prompt = [{ type: "text", text }]
  const end = await request("session/prompt", { sessionId, prompt }).catch((error) => ({ stopReason: error.message }))
  process.stdout.write(`\n${text} -> ${end.stopReason}\n`)
}
await server.close()

function textOf(content) {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("")
}

function request(method, params) {
  const id = answers.size + 1
  writer.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`))
  return new Promise((resolve, reject) => answers.set(id, { resolve, reject }))
}

async function listen() {
  let rest = ""
  for await (const text of toClient.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n")
    rest = lines.pop()
    for (const { id, params, result, error } of lines.map((line) => JSON.parse(line))) {
      if (params?.update?.sessionUpdate === "agent_message_chunk") process.stdout.write(params.update.content.text)
      else if (error) answers.get(id)?.reject(new Error(error.message))
      else answers.get(id)?.resolve(result)
    }
  }
}
