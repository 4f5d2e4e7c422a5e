import { type Core, createCore } from "../acp/core.ts"
import { type Launch, storeFolder } from "../acp/launch.ts"
import { serversFor } from "../acp/mcp-servers.ts"
import type { GatewayState } from "../model/catalog.ts"
import { environmentOf } from "../model/environment.ts"
import { askForModels } from "../model/model-list.ts"
import { OFFLINE } from "../model/offline.ts"
import type { Runtime } from "../runtime.ts"
import type { Dials } from "../session/dials.ts"
import { wordsOf } from "../session/remark.ts"
import { missingSandbox } from "../session/sandbox-check.ts"
import { aloneServers } from "../session/servers.ts"
import { misspeltKeys } from "../settings/check.ts"
import { homeSettingsPath, workspaceSettingsPath } from "../settings/home.ts"
import type { SettingsRead } from "../settings/settings.ts"
import { VERSION } from "../version.ts"
import { UsageError } from "./args.ts"
import { print } from "./print.ts"

/** What was looked at, and how it stands. `mend` says what to do about it. */
interface Finding {
  readonly what: string
  readonly state: "good" | "note" | "wrong"
  readonly words: string
  readonly mend?: string
}

/** `koda doctor`: whether what koda needs is there, and what to do where it is not. Keys are never printed. */
export async function doctor(runtime: Runtime, launch: Launch, words: readonly string[]): Promise<number> {
  const [other] = words.filter((word) => word !== "--json")
  if (other !== undefined) throw new UsageError(`\`koda doctor\` takes nothing but --json, not "${other}"`)
  const core = await createCore(runtime, launch)
  try {
    const read = await core.settingsFor(runtime.system.cwd)
    await core.catalog.ready(AbortSignal.timeout(PATIENCE_MS), PATIENCE_MS)
    const { dials, problems } = core.first(read)
    const found = await Promise.all([
      program(runtime),
      settingsIn(read, problems.flatMap(wordsOf), runtime, core),
      gateway(core),
      environment(runtime),
      model(dials),
      servers(runtime, core, read),
      folder("Koda home", core.home, runtime),
      sessions(runtime, launch),
      tool("git", runtime, "Install git: without it the agent sees no history"),
      tool("rg", runtime, "Install ripgrep: searches are quicker with it"),
      sandbox(runtime, read),
    ])
    const findings = found.flat()
    const text = findings.map(line).join("\n")
    await print(runtime, words.includes("--json") ? JSON.stringify({ findings }, null, 2) : text)
    return findings.some(({ state }) => state === "wrong") ? 1 : 0
  } finally {
    await core.close()
  }
}

const PATIENCE_MS = 5_000
const MARKS = { good: "ok  ", note: "note", wrong: "BAD " } as const

function line({ what, state, words, mend }: Finding): string {
  return `${MARKS[state]} ${what}: ${words}${mend === undefined ? "" : `\n       ${mend}`}`
}

function program({ name, system: { os } }: Runtime): Finding[] {
  return [{ what: "koda", state: "good", words: `${VERSION} on ${name}, ${os}` }]
}

async function settingsIn(
  { leftOut, trusted }: SettingsRead,
  problems: readonly string[],
  { files, system }: Runtime,
  core: Core,
): Promise<Finding[]> {
  const what = "settings"
  const paths = [homeSettingsPath(core.home), ...(trusted ? [workspaceSettingsPath(system.cwd)] : [])]
  const texts = await Promise.all(
    paths.map(async (path) => [path, await files.readText(path).catch(() => {})] as const),
  )
  const there = texts.flatMap(([path, text]) => (text === undefined ? [] : [{ path, text }]))
  const misspelt = there.flatMap(({ path, text }) => misspeltKeys(path, text))
  const left: Finding = {
    what: "workspace",
    state: "note",
    words: `is not trusted; left out: ${leftOut.join(", ")}`,
    mend: "`koda trust` lets its settings hold",
  }
  const words = there.map(({ path }) => path).join(", ") || `none; yours would be ${paths[0]}`
  return [
    ...(problems.length === 0 ? [{ what, state: "good", words } as const] : []),
    ...problems.map((words): Finding => ({ what, state: "wrong", words })),
    ...misspelt.map(({ message }): Finding => ({ what, state: "note", words: message })),
    ...(leftOut.length === 0 ? [] : [left]),
  ]
}

const GATEWAY: Readonly<Record<GatewayState, Omit<Finding, "what">>> = {
  ok: { state: "good", words: "answers, and takes the key" },
  refused: { state: "wrong", words: "refuses the key", mend: "`koda login` keeps another; so does KODA_API_KEY" },
  unreachable: { state: "wrong", words: "does not answer", mend: "Look at KODA_BASE_URL, and at HTTPS_PROXY" },
  no_key: { state: "wrong", words: "there is no key", mend: "`koda login` keeps one; or set KODA_API_KEY" },
  no_address: { state: "note", words: "none is set (KODA_BASE_URL)" },
}

async function gateway({ catalog }: Core): Promise<Finding[]> {
  const state = await catalog.checkGateway(AbortSignal.timeout(PATIENCE_MS)).catch((): GatewayState => "unreachable")
  const problems = catalog.problems()
  const why = problems.find(({ of }) => of === "gateway")?.words
  const setup = problems.filter(({ of }) => of === "setup")
  return [
    { what: "gateway", ...GATEWAY[state], ...(why !== undefined && { words: why }) },
    ...setup.map(({ words }): Finding => ({ what: "models", state: "wrong", words })),
  ]
}

async function environment({ system, fetch }: Runtime): Promise<Finding[]> {
  const named = environmentOf(system.env())
  if (!named) return []
  const answer = await askForModels(named, fetch, AbortSignal.timeout(PATIENCE_MS))
  const what = `model server ${new URL(named.baseUrl).host}`
  if (answer.status === "ok") return [{ what, state: "good", words: "answers" }]
  const isEnough = answer.status === "no_list" && named.modelId !== undefined
  const mend = answer.status === "refused" ? "Look at OPENAI_API_KEY" : "Look at OPENAI_BASE_URL, and at HTTPS_PROXY"
  return isEnough
    ? [{ what, state: "note", words: `does not tell its models: ${answer.why}` }]
    : [{ what, state: "wrong", words: answer.why, mend }]
}

function model({ model }: Dials): Finding[] {
  if (model !== OFFLINE.modelId) return [{ what: "model", state: "good", words: model }]
  return [
    {
      what: "model",
      state: "note",
      words: `${OFFLINE.modelId}, which is no language model`,
      mend: "Set OPENAI_BASE_URL and OPENAI_API_KEY, KODA_BASE_URL and `koda login`, or add a model of your own",
    },
  ]
}

async function servers(runtime: Runtime, core: Core, read: SettingsRead): Promise<Finding[]> {
  const params = serversFor(core, read)
  if (params.configured.servers.length + params.configured.wrong.length === 0) return []
  const started = aloneServers(params, runtime)
  try {
    await started.started()
    return started.state.servers.map(({ name, status, error }): Finding => {
      const what = `MCP server ${name}`
      if (status === "connected") return { what, state: "good", words: "is connected" }
      const words = [status.replace("_", " "), error].filter(Boolean).join(": ")
      return { what, state: "wrong", words, mend: `\`koda mcp test ${name}\` tries it again` }
    })
  } finally {
    await started.close()
  }
}

/** Whether something can be written there. What was not there before is not left behind. */
async function folder(what: string, path: string, { files }: Runtime): Promise<Finding[]> {
  const wasThere = await files.stat(path).catch(() => undefined)
  const probe = `${path}/.doctor-${crypto.randomUUID()}`
  try {
    await files.write(probe, "a full disk takes an empty file\n", { mode: 0o600 })
    await files.remove(wasThere ? probe : path)
    return [{ what, state: "good", words: `${path} can be written` }]
  } catch (error) {
    const words = `${path} can't be written: ${error instanceof Error ? error.message : error}`
    return [{ what, state: "wrong", words, mend: "Look at who owns it, and whether the disk is full" }]
  }
}

async function sessions(runtime: Runtime, launch: Launch): Promise<Finding[]> {
  const path = storeFolder(runtime, launch)
  if (path !== undefined) return await folder("sessions", path, runtime)
  const mend = "Set KODA_ACP_SESSION_STORE_DIR to a folder, or start with --session-store"
  return [{ what: "sessions", state: "note", words: "are not kept for editors", mend }]
}

async function tool(name: string, { processes, system }: Runtime, mend: string): Promise<Finding[]> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const child = processes.spawn([name, "--version"], { cwd: system.home, env: system.env(), signal })
    child.exited.catch(() => {}) // awaited below
    let printed = ""
    for await (const { bytes } of child.output) printed = (printed + new TextDecoder().decode(bytes)).slice(0, 200)
    if ((await child.exited).code === 0) return [{ what: name, state: "good", words: printed.split("\n")[0] ?? "" }]
  } catch {
    // told below
  }
  return [{ what: name, state: "note", words: "is not found", mend }]
}

async function sandbox(runtime: Runtime, { settings }: SettingsRead): Promise<Finding[]> {
  const missing = await missingSandbox(runtime)
  if (missing === undefined) return [{ what: "sandbox", state: "good", words: "works here" }]
  const isAsked = settings.sandbox.enabled
  const more = isAsked ? "; the settings ask for it, so no command is run" : ""
  return [{ what: "sandbox", state: isAsked ? "wrong" : "note", words: `${missing}${more}` }]
}
