import { readFile } from "node:fs/promises"
import { createInterface } from "node:readline"

/**
 * The least that an agent can be: it passes on what the model says and reads a file when asked. What it costs is what
 * the runtime, the model server and the client of this bench cost by themselves.
 */

// biome-ignore lint/suspicious/noExplicitAny: nothing is checked here
type Json = Record<string, any>

const TOOLS = [
  {
    type: "function",
    function: { name: "read_file", parameters: { type: "object", properties: { path: { type: "string" } } } },
  },
]
const sessions = new Map<string, Json[]>()

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line)
  send({ id, result: await handle(method, params) })
})

function handle(method: string, params: Json): Json | Promise<Json> {
  if (method === "initialize") return { protocolVersion: 1, agentCapabilities: {} }
  if (method === "session/prompt") return prompt(params.sessionId, params.prompt[0].text)
  const sessionId = String(sessions.size + 1)
  sessions.set(sessionId, [])
  return { sessionId }
}

async function prompt(sessionId: string, text: string): Promise<Json> {
  const messages = sessions.get(sessionId)!
  messages.push({ role: "user", content: text })
  for (;;) {
    const reply = await complete(sessionId, messages)
    messages.push(reply)
    if (!reply.tool_calls) return { stopReason: "end_turn" }
    for (const call of reply.tool_calls) {
      update(sessionId, { sessionUpdate: "tool_call", toolCallId: call.id, title: "Read", status: "in_progress" })
      const content = await readFile(JSON.parse(call.function.arguments).path, "utf8")
      messages.push({ role: "tool", tool_call_id: call.id, content })
      update(sessionId, { sessionUpdate: "tool_call_update", toolCallId: call.id, status: "completed" })
    }
  }
}

async function complete(sessionId: string, messages: Json[]): Promise<Json> {
  const response = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
    body: JSON.stringify({ model: process.env.OPENAI_MODEL, stream: true, messages, tools: TOOLS }),
  })
  const reply: Json = { role: "assistant", content: "" }
  const decoder = new TextDecoder()
  let rest = ""
  for await (const bytes of response.body!) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
    rest = lines.pop()!
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue
      const delta = JSON.parse(line.slice(6)).choices[0]?.delta
      if (delta?.tool_calls) reply.tool_calls = delta.tool_calls
      if (!delta?.content) continue
      reply.content += delta.content
      update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text: delta.content } })
    }
  }
  return reply
}

function update(sessionId: string, update: Json): void {
  send({ method: "session/update", params: { sessionId, update } })
}

function send(message: Json): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
}
