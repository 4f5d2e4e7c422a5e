import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type AcpChild, type Json, startAcp } from "./acp-child.ts"
import { readable } from "./readable.ts"
import { environment, ROOT } from "./run.ts"

/** What is said to the agent. The offline model looks around by itself, and calls a tool where a line names one. */
const PROMPTS = [
  "What is this project, and where is a prompt turned into replies and tool calls?",
  [
    `!todo_write {"entries": [{"content": "Run a command", "status": "in_progress"}, {"content": "Say how it went", "status": "pending"}]}`,
    `!run_shell_command {"command": "node --eval 'console.log(6 * 7)'", "description": "Works out six times seven"}`,
  ].join("\n"),
]

if (import.meta.main) {
  const home = await mkdtemp(join(tmpdir(), "koda-demo-"))
  try {
    await demo(home)
  } catch (error) {
    console.error(`\nThe demo failed: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Plays an editor: starts the built agent on this repository, asks it two things and shows what it streams. */
async function demo(home: string): Promise<void> {
  await writeFile(join(home, "settings.json"), `{ "localModels": false }\n`)
  const screen = readable((text) => process.stdout.write(text))
  screen.note("starting koda --acp (built-in offline model: no key, no network)")
  const agent = startAcp([process.execPath, join(ROOT, "dist/node/main.js"), "--acp", "--model", "koda-offline"], {
    cwd: ROOT,
    env: { ...environment(), KODA_CLI_HOME: home },
    heard: (method, params) => {
      if (method === "session/update") screen.update(params.update as Json)
    },
    asked: (method, params) => {
      if (method !== "session/request_permission") throw new Error(`the demo can't answer ${method}`)
      return answerPermission(params, screen.note)
    },
  })
  await converse(agent, screen)
  const code = await agent.hangUp()
  if (code !== 0) throw new Error(`koda ended with ${code}`)
  screen.note("koda ended with 0")
}

async function converse(agent: AcpChild, screen: ReturnType<typeof readable>): Promise<void> {
  const { agentInfo } = await agent.request("initialize", {
    protocolVersion: 1,
    clientInfo: { name: "koda-demo", version: "1.0.0" },
    clientCapabilities: {},
  })
  const { name, version } = agentInfo as { name: string; version: string }
  const { sessionId } = await agent.request("session/new", { cwd: ROOT, mcpServers: [] })
  screen.note(`${name} ${version}, session ${sessionId}`)
  for (const text of PROMPTS) {
    screen.asks(text)
    const { stopReason } = await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
    screen.note(`turn ended: ${stopReason}`)
    if (stopReason !== "end_turn") throw new Error(`the turn ended with ${stopReason}`)
  }
}

/** Allows this once, as a user who reads along would. */
function answerPermission(params: Json, note: (text: string) => void): Json {
  const { toolCall, options } = params as {
    toolCall: Json
    options: { optionId: string; name: string; kind: string }[]
  }
  const chosen = options.find(({ kind }) => kind === "allow_once")
  note(`may it? "${toolCall.title}" [${options.map(({ name }) => name).join(" | ")}] → ${chosen?.name ?? "no"}`)
  return { outcome: chosen ? { outcome: "selected", optionId: chosen.optionId } : { outcome: "cancelled" } }
}
