import { unknownClient } from "../acp/client.ts"
import { resolverFor } from "../acp/commands.ts"
import { type Core, createCore } from "../acp/core.ts"
import { isGone, rpcError } from "../acp/errors.ts"
import type { Launch } from "../acp/launch.ts"
import { newSession, restoreSession } from "../acp/open-session.ts"
import { promptResponse, updatesOf } from "../acp/updates.ts"
import type { Catalog } from "../model/catalog.ts"
import { LONGEST_LIST } from "../model/server-lists.ts"
import type { Runtime } from "../runtime.ts"
import type { Attached } from "../session/attached.ts"
import type { TurnEnd } from "../session/prompted.ts"
import type { Session } from "../session/session.ts"
import type { Store } from "../session/store.ts"
import { meant } from "../text/similar.ts"
import { type Arguments, UsageError } from "./args.ts"
import { logFor } from "./log.ts"
import { sessionNamed, sessionsFolder } from "./sessions.ts"

/** How the program ends for each way a turn can end. */
const EXIT: Readonly<Record<TurnEnd["stop"], number>> = {
  end_turn: 0,
  repeating: 0,
  max_turn_requests: 3,
  max_tokens: 4,
  refusal: 4,
  cancelled: 130,
}

/** What is said of an answer that is not whole. */
const CUT: Readonly<Partial<Record<TurnEnd["stop"], string>>> = {
  max_turn_requests: "the turn was ended after as many requests as the setting maxTurnRequests allows",
  max_tokens: "the answer was cut off by the model's limit of tokens",
  refusal: "the model refused to answer",
}

/** Answers one prompt on standard output. What would be asked is refused, and named on standard error. */
export async function runPrompt(runtime: Runtime, launch: Launch, { prompt, values }: Arguments): Promise<number> {
  const { stdio, system } = runtime
  const text = await wholePrompt(runtime, prompt)
  if (values["--traffic-log"] !== undefined)
    stdio.log("koda: --traffic-log goes with --acp; here nothing is written to it")
  const stop = new AbortController()
  system.onStop(() => stop.abort(new Error("asked to stop")))
  const resumed = values["--resume"]
  const sessionStore = resumed === undefined ? undefined : await sessionsFolder(runtime, launch)
  const core = await createCore(runtime, {
    ...launch,
    ...(sessionStore !== undefined && { sessionStore }),
    log: logFor(runtime, values["--log-level"]),
  })
  const printer = printerFor(stdio, values["--output-format"] ?? "text")
  try {
    await core.catalog.ready(stop.signal, LONGEST_LIST) // here nothing else goes on meanwhile
    await mustHave(core.catalog, launch.model, stop.signal)
    const request = { cwd: system.cwd, roots: [system.cwd], asked: {} }
    const session = await (resumed === undefined ? newSession(core, request, false) : resume(core, resumed, launch))
    if (launch.model === undefined) await mustBeMeant(core, session.dials.model)
    session.attach(printer.attached)
    const end = await session.prompt(messageOf(text), resolverFor(core, session), printer.attached, stop.signal)
    await printer.end({ ...promptResponse(end.stop, end.usage, end.promptId), sessionId: session.id })
    if (CUT[end.stop] !== undefined) stdio.log(`koda: ${CUT[end.stop]}`)
    return EXIT[end.stop]
  } catch (error) {
    if (error instanceof UsageError) throw error
    await printer.fail(rpcError(error, "standard"))
    return 1
  } finally {
    await core.close()
  }
}

/** Goes on with a session that is kept, where it was; what the command line says of it is said anew. */
async function resume(core: Core, id: string, { model, mode }: Launch): Promise<Session> {
  const { files, system } = core.runtime
  const store = await core.store()
  const saved = sessionNamed(id, store, core.launch.sessionStore as string)
  if (saved.folder !== (await files.realPath(system.cwd)))
    throw new UsageError(`The session belongs to the folder ${saved.cwd}; run koda there`)
  const request = { roots: [saved.cwd], asked: {} }
  const session = await restoreSession(core, store as Store, saved, request, () => {}, false)
  session.change({ ...(model !== undefined && { model }), ...(mode !== undefined && { mode }) })
  return session
}

function messageOf(text: string): Parameters<Session["prompt"]>[0] {
  return { role: "user", id: crypto.randomUUID(), content: [{ type: "text", text }] }
}

/** A model that was asked for by name is used, or nothing is. */
async function mustHave(catalog: Catalog, model: string | undefined, signal: AbortSignal): Promise<void> {
  if (model === undefined || catalog.find(model)) return
  await catalog.checkGateway(signal) // its list may be late
  if (catalog.find(model)) return
  const names = catalog.list().map(({ modelId }) => modelId)
  throw new UsageError(`There is no model "${model}"${meant(model, names)}`)
}

/** Where servers are set up and tell no models, an answer of koda-offline would be taken for theirs. */
async function mustBeMeant({ catalog, settingsFor, runtime }: Core, model: string): Promise<void> {
  const wanted = (await settingsFor(runtime.system.cwd)).settings.model
  if (model !== "koda-offline" || wanted === model) return
  const missing = wanted === undefined ? undefined : `There is no model "${wanted}"`
  const why = catalog.problems()[0]?.words ?? missing
  if (why === undefined) return
  throw new Error(`${why}. \`--model koda-offline\` does without a language model`)
}

/** The words of the command line, and what the pipe brings. */
async function wholePrompt({ stdio }: Runtime, prompt: string | undefined): Promise<string> {
  const piped = stdio.isTerminal ? "" : await new Response(stdio.input).text()
  const text = [prompt ?? "", piped.trim()].filter((part) => part !== "").join("\n\n")
  if (text === "") throw new UsageError('-p needs a prompt: `koda -p "…"`, or text from a pipe')
  return text
}

/** What to do about an error; its message may only name it. */
function detailsIn(data: unknown): string | undefined {
  return (data as { details?: string } | undefined)?.details
}

interface Printer {
  attached: Attached
  end(result: object): Promise<void>
  fail(error: { code: number; message: string; data: unknown }): Promise<void>
}

function printerFor({ output, log }: Runtime["stdio"], format: string): Printer {
  const writer = output.getWriter()
  const encoder = new TextEncoder()
  const client = unknownClient("standard")
  let said = ""
  let reply: string | undefined
  let last: Promise<void> = Promise.resolve()
  const print = (text: string) => {
    last = writer.write(encoder.encode(text))
    last.catch(() => {}) // whoever read it has gone; the turn ends by itself
  }
  const line = (value: object) => print(`${JSON.stringify(value)}\n`)
  return {
    attached: {
      tell(event) {
        if (event.type === "text") {
          const gap = reply === undefined || reply === event.message || said.endsWith("\n\n") ? "" : "\n\n"
          reply = event.message
          said += gap + event.delta
          if (format === "text") print(gap + event.delta)
        }
        if (event.type === "notice") log(`koda: ${event.text}`)
        if (event.type === "call_ended" && event.result.status === "denied") {
          log(`koda: refused: ${event.result.shown.title}`)
        }
        if (format === "stream-json") for (const update of updatesOf(event, client)) line(update)
      },
      ask: async () => "no",
      editor: {},
      terminals: undefined,
    },
    async end(result) {
      if (format === "text") print(said.endsWith("\n") || said === "" ? "" : "\n")
      else line(format === "json" ? { result: said, ...result } : { type: "result", ...result })
      await last.catch((error: unknown) => {
        if (!isGone(error)) throw new Error(`The answer could not be written: ${(error as Error).message}`)
      })
    },
    async fail({ code, message, data }) {
      if (format === "text") log(`koda: ${detailsIn(data) ?? message}`)
      else line(format === "json" ? { error: { code, message, data } } : { type: "error", code, message, data })
      await last.catch(() => {})
    },
  }
}
