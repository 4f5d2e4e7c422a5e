// Shows the whole life of subagents in a terminal, without a key: node docs/examples/watch-subagents.mjs [scenario]
// The scenarios are the files beside this one: two-subagents, delegation, researchers.
// In this repository, `npm run build` first. Elsewhere, `npm install koda-acp`.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { createServer } from "koda-acp/node"

const PROMPTS = {
  "two-subagents": "Look at how totals are summed and tested.",
  delegation: "Let `total` refuse what is no list.",
  researchers: "Look around.",
}
const [name = "two-subagents"] = process.argv.slice(2)
if (!(name in PROMPTS)) throw new Error(`There is no scenario "${name}"; there are ${Object.keys(PROMPTS).join(", ")}`)

const folder = await mkdtemp(join(tmpdir(), "koda-subagents-"))
await writeFile(
  join(folder, "totals.js"),
  "export function total(prices) {\n  return prices.reduce((sum, price) => sum + price, 0)\n}\n",
)
await writeFile(join(folder, "totals.test.js"), 'import { total } from "./totals.js"\n')
await writeFile(join(folder, "notes.md"), "# Notes\n")

/** Tasks by their id, as we were last told of them. */
const tasks = new Map()
/** What we answer to questions, in their order: the user allows the first edit, and refuses the others. */
const answers = ["allow_once"]
/** Reports that were read by the model and answered. */
let delivered = 0
let isAtWork = false
let isInLine = false
let stir = () => {}

const scenario = fileURLToPath(new URL(`${name}.yaml`, import.meta.url))
process.env.KODA_CLI_HOME = join(folder, ".koda-home") // none of your settings
const server = createServer({ scenario, model: "koda-scenario" })
const toAgent = new TransformStream()
const toClient = new TransformStream()
server.connect(toAgent.readable, toClient.writable)
const client = speak(toAgent.writable, toClient.readable)

try {
  await client.request("initialize", {
    protocolVersion: 1,
    clientInfo: { name: "watch-subagents", version: "1.0.0" },
    clientCapabilities: { subagents: true }, // else a report waits for the next prompt, and no tasks are told
  })
  const { sessionId } = await client.request("session/new", { cwd: folder, mcpServers: [] })
  say(`> ${PROMPTS[name]}`)
  const prompt = [{ type: "text", text: PROMPTS[name] }]
  const { stopReason } = await client.request("session/prompt", { sessionId, prompt })
  say(`turn: ended with ${stopReason}`)
  while (isAtWork) await new Promise((resolve) => (stir = resolve))
  const list = await client.request("session/subagent_list", { sessionId })
  for (const { taskId, description, status } of list.tasks) {
    const { history } = await client.request("session/subagent_details", { sessionId, taskId })
    say(`task: ${description}: ${status}, with ${history.length} rows of history`)
  }
  say(`reports delivered: ${delivered}`)
  if (name === "delegation") {
    say(`totals.js:\n${await readFile(join(folder, "totals.js"), "utf8")}`)
    say(`notes.md:\n${await readFile(join(folder, "notes.md"), "utf8")}`)
  }
} finally {
  await server.close()
  await rm(folder, { recursive: true, force: true })
}

/** What the agent tells. */
function hear(update) {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return write(update.content.text)
    case "tool_call":
      return say(`call: ${update.title}`)
    case "tool_call_update":
      return update.status === "completed" || update.status === "failed" ? say(`call: ${update.status}`) : undefined
    case "subagent_update":
      return hearOfTask(update)
    case "subagent_turn":
      return say(`turn: ${update.state}${update.taskIds ? ` for ${update.taskIds.map(nameOf).join(" and ")}` : ""}`)
    case "session_info_update":
      isAtWork = update._meta?.["com.kodadev"]?.working ?? isAtWork
      return stir()
  }
}

function hearOfTask({ task, activity, deliveryId }) {
  const before = tasks.get(task.taskId)
  tasks.set(task.taskId, task)
  if (before?.status !== task.status) say(`task: ${task.description}: ${task.status}`)
  if (activity?.kind === "tool") say(`task: ${task.description}: ${activity.text}, ${activity.status}`)
  if (deliveryId) {
    delivered++
    say(`task: ${task.description}: its report is read by the model`)
  }
}

function nameOf(taskId) {
  return `"${tasks.get(taskId)?.description ?? taskId}"`
}

/** What the agent asks: whether it may. */
function answer(method, { toolCall, options }) {
  if (method !== "session/request_permission") return undefined
  const kind = toolCall.kind === "edit" ? (answers.shift() ?? "reject_once") : "allow_once"
  const chosen = options.find((option) => option.kind === kind)
  say(`question: ${toolCall.title} -> ${chosen.name}`)
  return { outcome: { outcome: "selected", optionId: chosen.optionId } }
}

/** Whole lines; and words as they come. */
function say(line) {
  write(`${isInLine ? "\n" : ""}${line}\n`)
}
function write(text) {
  process.stdout.write(text)
  if (text !== "") isInLine = !text.endsWith("\n")
}

/** The smallest client: requests out, updates and questions in. */
function speak(writable, readable) {
  const writer = writable.getWriter()
  const encoder = new TextEncoder()
  const waiting = new Map()
  const send = (message) => writer.write(encoder.encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`))
  let lastId = 0
  void listen()
  return {
    request(method, params) {
      const id = ++lastId
      send({ id, method, params })
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
    },
  }

  async function listen() {
    let rest = ""
    for await (const text of readable.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n")
      rest = lines.pop()
      for (const line of lines) take(JSON.parse(line))
    }
  }

  function take({ id, method, params, result, error }) {
    if (method === "session/update") return hear(params.update)
    if (method === undefined)
      return error ? waiting.get(id).reject(new Error(error.message)) : waiting.get(id).resolve(result)
    if (id === undefined) return
    const reply = answer(method, params)
    send(reply ? { id, result: reply } : { id, error: { code: -32601, message: `no ${method} here` } })
  }
}
