// The editor's side of the protocol, in one file: node docs/examples/host.mjs [program and its arguments]
// It starts koda, opens a session in a new folder, shows what it tells and answers what it asks: permissions, files, terminals.
// In this repository, `npm run build` first. Elsewhere: node host.mjs koda --acp

import { spawn } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const near = (path) => fileURLToPath(new URL(path, import.meta.url))
const BUILT = [process.execPath, near("../../dist/node/main.js"), "--acp", "--scenario", near("scenario.yaml")]
const [program, ...args] = process.argv.length > 2 ? process.argv.slice(2) : BUILT

const place = await mkdtemp(join(tmpdir(), "koda-host-"))
const folder = join(place, "project")
await mkdir(folder)
await writeFile(join(folder, "README.md"), "# A project\n")
/** What is open in the editor and not saved yet, by its path. */
const buffers = new Map([[join(folder, "README.md"), "# A project, and a line that is not saved\n"]])
const terminals = new Map()
const cards = new Map()

const env = {
  ...process.env,
  KODA_CLI_HOME: join(place, "home"), // leave it out, and the user's own settings and keys count
  KODA_ACP_SESSION_STORE_DIR: join(place, "sessions"),
}
const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "inherit"] }) // its errors are for the user
const waiting = new Map()
let lastId = 0

/** What it tells. A kind that is not known is left alone. */
function tell(update) {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return process.stdout.write(update.content.text)
    case "plan":
      return say(`plan: ${update.entries.map(({ content, status }) => `${content} (${status})`).join(", ")}`)
    case "tool_call":
    case "tool_call_update": {
      // An update says only what has changed.
      const card = { ...cards.get(update.toolCallId), ...update }
      cards.set(update.toolCallId, card)
      if (update.status) say(`${card.title}: ${update.status}`)
      if (update.status === "pending") for (const part of card.content) show(part)
    }
  }
}

function show(part) {
  if (part.type === "diff")
    say(`  ${part.path}: ${part.oldText === null ? "new" : "changed"}, to\n  ${part.newText.trimEnd()}`)
  if (part.type === "content" && part.content.type === "text") say(`  ${part.content.text.replaceAll("\n", "\n  ")}`)
}

/** What it asks. Paths are absolute. */
const ANSWERS = {
  async "session/request_permission"({ toolCall, options }) {
    const { optionId, name } = options.find(({ kind }) => kind === "allow_once") // here the user would choose
    say(`${toolCall.title}? ${options.map((option) => `[${option.name}]`).join(" ")} -> ${name}`)
    return { outcome: { outcome: "selected", optionId } }
  },
  async "fs/read_text_file"({ path }) {
    return { content: buffers.get(path) ?? (await readFile(path, "utf8")) }
  },
  async "fs/write_text_file"({ path, content }) {
    buffers.set(path, content)
    return {}
  },
  async "terminal/create"({ command, args = [], env = [], cwd }) {
    const own = Object.fromEntries(env.map(({ name, value }) => [name, value]))
    const shell = spawn(command, args, { cwd, env: { ...process.env, ...own }, stdio: ["ignore", "pipe", "pipe"] })
    const terminal = { shell, output: "", exitStatus: null, exited: undefined }
    for (const stream of [shell.stdout, shell.stderr]) stream.on("data", (text) => (terminal.output += text))
    terminal.exited = new Promise((resolve) => {
      shell.once("close", (exitCode, signal) => resolve((terminal.exitStatus = { exitCode, signal })))
    })
    const terminalId = `terminal-${terminals.size + 1}`
    terminals.set(terminalId, terminal)
    return { terminalId }
  },
  async "terminal/output"({ terminalId }) {
    const { output, exitStatus } = terminals.get(terminalId)
    return { output, truncated: false, exitStatus }
  },
  "terminal/wait_for_exit": ({ terminalId }) => terminals.get(terminalId).exited,
  async "terminal/kill"({ terminalId }) {
    terminals.get(terminalId).shell.kill()
    return {}
  },
  async "terminal/release"({ terminalId }) {
    say(`  in ${terminalId}: ${terminals.get(terminalId).output.trimEnd()}`)
    terminals.get(terminalId).shell.kill()
    return {}
  },
}

async function answer(id, method, params) {
  try {
    send({ id, result: await ANSWERS[method](params) })
  } catch (error) {
    send({ id, error: ANSWERS[method] ? { code: -32603, message: error.message } : { code: -32601, message: method } })
  }
}

function request(method, params) {
  const id = ++lastId
  send({ id, method, params })
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
}

function send(message) {
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
}

/** One message on each line, whatever pieces the lines come in. */
async function listen() {
  let rest = ""
  for await (const text of child.stdout.setEncoding("utf8")) {
    const lines = (rest + text).split("\n")
    rest = lines.pop()
    for (const { id, method, params, result, error } of lines.map((line) => JSON.parse(line))) {
      if (method === "session/update") tell(params.update)
      else if (method && id !== undefined) void answer(id, method, params)
      else if (error) waiting.get(id)?.reject(new Error(error.data?.details ?? error.message))
      else waiting.get(id)?.resolve(result)
    }
  }
}

function say(line) {
  process.stdout.write(`${line}\n`)
}

void listen()
const { agentInfo } = await request("initialize", {
  protocolVersion: 1,
  clientInfo: { name: "host", version: "1.0.0" },
  clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
})
const { sessionId, configOptions } = await request("session/new", { cwd: folder, mcpServers: [] })
say(`${agentInfo.title} ${agentInfo.version}`)
for (const { name, currentValue, options } of configOptions) {
  say(`menu ${name}: ${options.map(({ value }) => (value === currentValue ? `[${value}]` : value)).join(" ")}`)
}
process.once("SIGINT", () => send({ method: "session/cancel", params: { sessionId } })) // Ctrl-C stops the turn
for (const text of ["Hello.", "And now?"]) {
  say(`> ${text}`)
  const { stopReason } = await request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
  say(`ended: ${stopReason}`)
}
const ended = new Promise((resolve) => child.once("exit", resolve))
child.stdin.end() // it stops all that it has started, and goes
say(`koda ended with ${await ended}`)
await rm(place, { recursive: true, force: true })
