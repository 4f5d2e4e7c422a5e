// Koda inside a program of yours, with a tool of yours: node docs/examples/embed.mjs [folder]
// In this repository, `npm run build` first. Elsewhere, `npm install koda-acp`.

import { resolve } from "node:path"
import { createServer } from "koda-acp/node"

/** @type {import("koda-acp/node").Tool} */
const openIssues = {
  name: "open_issues",
  description: "Lists the open issues of the project.",
  schema: { type: "object", properties: { label: { type: "string" } } },
  kind: "search",
  async prepare(input) {
    const { label } = input ?? {}
    return {
      title: label ? `Open issues with the label ${label}` : "Open issues",
      locations: [],
      display: [],
      // What it touches outside of this process decides whether the user is asked.
      reach: { type: "nothing" },
      async run() {
        return { content: [{ type: "text", text: "#12 The widget is upside down\n#31 Say what a widget is" }] }
      },
    }
  },
}

const server = createServer({ model: "koda-offline", policy: "read_only", tools: [openIssues] })

// A connection is two byte streams: here two pipes in memory, elsewhere a socket or a child's stdio.
const toAgent = new TransformStream()
const toClient = new TransformStream()
server.connect(toAgent.readable, toClient.writable)
const client = speak(toAgent.writable, toClient.readable, (update) => {
  if (update.sessionUpdate === "agent_message_chunk") process.stdout.write(update.content.text)
  if (update.sessionUpdate === "tool_call") process.stdout.write(`→ ${update.title}\n`)
})

await client.request("initialize", { protocolVersion: 1, clientInfo: { name: "embed", version: "1.0.0" } })
const { sessionId } = await client.request("session/new", { cwd: resolve(process.argv[2] ?? "."), mcpServers: [] })
const prompt = [{ type: "text", text: '!open_issues {"label": "bug"}' }]
const { stopReason } = await client.request("session/prompt", { sessionId, prompt })
process.stdout.write(`\nThe turn ended: ${stopReason}\n`)
await server.close()

/** The smallest client: requests out, updates in, and a no to everything the agent asks. */
function speak(writable, readable, onUpdate) {
  const writer = writable.getWriter()
  const encoder = new TextEncoder()
  const waiting = new Map()
  const send = (message) => writer.write(encoder.encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`))
  void listen()
  return {
    request(method, params) {
      const id = waiting.size + 1
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        send({ id, method, params })
      })
    },
  }

  async function listen() {
    let rest = ""
    for await (const text of readable.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n")
      rest = lines.pop()
      for (const line of lines) hear(JSON.parse(line))
    }
  }

  function hear({ id, method, params, result, error }) {
    if (method === "session/update") onUpdate(params.update)
    else if (method && id !== undefined) send({ id, error: { code: -32601, message: `no ${method} here` } })
    else if (error) waiting.get(id).reject(new Error(error.message))
    else waiting.get(id).resolve(result)
  }
}
