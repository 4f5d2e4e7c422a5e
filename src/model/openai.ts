import type { ToolCall } from "../agent/message.ts"
import { type Model, type ModelEvent, ModelFailure, type ModelRequest } from "../agent/model.ts"
import { type Clock, sleep, systemClock } from "../clock.ts"
import type { Runtime } from "../runtime.ts"
import { type Ending, ReplyReader } from "./deltas.ts"
import { errorIn, failureOf, type Place, type Trouble, windowIn } from "./failure.ts"
import { adapted, learn, NO_QUIRKS, type Quirks } from "./quirks.ts"
import { type Answer, askerOf, type Connection } from "./request.ts"
import { type Attempt, retried } from "./retry.ts"
import { EventStream, type Payload } from "./sse.ts"
import { wireMessages, wireTools } from "./wire.ts"

export type { Connection } from "./request.ts"

/** What the model needs of the world. */
export interface Surroundings {
  fetch: Runtime["fetch"]
  clock?: Clock
  /** From 0 to 1, as `Math.random`. */
  random?(): number
  /** In tokens: what the server told wins over what its list says, what the user told over both. */
  window?(served: number | undefined): number | undefined
}

/** Milliseconds that we still listen for a count of tokens, once all has been said. */
const LAST_WORDS = { afterFinish: 5000, afterDone: 200 }

/** A model behind an OpenAI-compatible server: chat completions, streamed. */
export function openaiModel(connection: Connection, surroundings: Surroundings): Model {
  const { fetch, clock = systemClock, random = Math.random, window } = surroundings
  const { id, baseUrl, apiKey, takes } = connection
  const place: Place = { baseUrl, model: id, secrets: apiKey ? [apiKey] : [] }
  const fail = (trouble: Trouble) => failureOf(trouble, place, clock.now())
  const ask = askerOf(connection, fetch)
  const sessions = new Map<string, Set<string>>()
  let quirks: Quirks = NO_QUIRKS

  return {
    id,
    takes,
    get contextWindow() {
      return window ? window(quirks.window) : quirks.window
    },
    stream: (request, signal) => retried((attempt) => reply(request, attempt, signal), { clock, random }, signal),
  }

  async function* reply(request: ModelRequest, attempt: Attempt, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted()
    const taken = takenIds(sessions, request)
    const reader = new ReplyReader(new Set(request.tools.map(({ name }) => name)), taken)
    const answer = await open(request, signal)
    let torn: ModelFailure | undefined
    try {
      for await (const events of read(answer, reader, request.heard, signal)) for (const event of events) yield event
    } catch (error) {
      signal.throwIfAborted()
      const failure = error instanceof ModelFailure ? error : fail({ error })
      remember(failure)
      if (failure.kind !== "network" || !reader.finished) torn = failure // else all had been said
    }
    const events: ModelEvent[] = []
    const ending = reader.end(events)
    for (const { id } of ending.calls) taken.add(id)
    yield* events
    yield* close(ending, torn, attempt)
  }

  /** Asks, and asks otherwise where the server says that it does not take a part of the request. */
  async function open(request: ModelRequest, signal: AbortSignal): Promise<Answer> {
    for (;;) {
      const body = bodyOf(request)
      const answer = await ask(body, request, signal).catch((error) => {
        signal.throwIfAborted()
        throw fail({ error })
      })
      if (answer.refusal === undefined) return answer
      const failure = fail({ status: answer.status, headers: answer.headers, body: answer.refusal })
      remember(failure, answer.refusal)
      const learned =
        failure.kind === "request" || failure.kind === "server" ? learn(quirks, body, answer.refusal) : undefined
      if (!learned || ![400, 404, 415, 422, 500, 501].includes(answer.status)) throw failure
      quirks = learned
    }
  }

  /** Only what is needed, and the messages last: the body grows at its end. */
  function bodyOf(request: ModelRequest): Record<string, unknown> {
    const tools = wireTools(request.tools)
    const sight = { image: takes.image && !quirks.blind, audio: takes.audio }
    const body = {
      model: id,
      stream: true,
      stream_options: { include_usage: true },
      ...(request.effort !== undefined && { reasoning_effort: request.effort }),
      ...connection.parameters,
      ...(tools && { tools }),
      messages: wireMessages(request, sight, quirks),
    }
    return adapted(body, quirks)
  }

  /** What the stream says, one list of events for each part that the network brings. */
  async function* read(
    answer: Answer,
    reader: ReplyReader,
    heard: ModelRequest["heard"],
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent[]> {
    const stream = new EventStream()
    const source = answer.body.getReader()
    try {
      for (let over = false; !over; ) {
        const part = await within(source.read(), patience(reader), clock, signal)
        if (part === "late" && !reader.finished) throw fail({ error: new SilentTooLong(connection.idleLimit!) })
        heard?.()
        over = part === "late" || part.done
        const payloads = part === "late" || part.done ? stream.end() : stream.push(part.value)
        const events: ModelEvent[] = []
        let failure: unknown
        try {
          for (const payload of payloads) take(payload, reader, events)
          if (over && !reader.finished) takeRest(stream.rest, reader, events)
        } catch (error) {
          failure = error // after what was said before it
        }
        if (events.length > 0) yield events
        if (failure) throw failure
        over ||= reader.isDone && reader.counted
      }
    } finally {
      void source.cancel().catch(() => {}) // torn already, or nobody cares
    }
  }

  function patience(reader: ReplyReader): number | undefined {
    if (reader.isDone) return LAST_WORDS.afterDone
    return reader.finished ? LAST_WORDS.afterFinish : connection.idleLimit
  }

  function take({ data, event }: Payload, reader: ReplyReader, events: ModelEvent[]): void {
    if (data.trim() === "[DONE]") {
      reader.done()
      return
    }
    const chunk = parsed(data)
    const error = errorIn(event === "error" ? { error: chunk ?? data } : chunk)
    if (error) throw fail(error)
    reader.read(chunk, events)
  }

  /** A body that is no stream of events: an error, or the reply in one piece. */
  function takeRest(rest: string, reader: ReplyReader, events: ModelEvent[]): void {
    if (!rest.trim()) return
    const chunk = parsed(rest)
    if (chunk === undefined && rest.trimStart().startsWith("<")) throw fail({ body: rest })
    const error = errorIn(chunk)
    if (error) throw fail(error)
    reader.read(chunk, events)
    if (chunk !== undefined) reader.done()
  }

  /** The last event, if this is a reply; else a failure. */
  function* close(ending: Ending, torn: ModelFailure | undefined, { keep }: Attempt): Generator<ModelEvent> {
    const { stop, usage, calls, finished, answered, thought } = ending
    const end: ModelEvent = { type: "end", stop, usage }
    if (torn || !finished) {
      const whole = !torn && !ending.dropped && (calls.length > 0 || (answered && quirks.endsSilently))
      const kept = keep && answered
      if (!whole && !kept) throw torn ?? brokenOff(ending)
      if (!torn) quirks = { ...quirks, endsSilently: true }
      if (!whole)
        yield {
          type: "notice",
          text: `The answer of "${id}" may have been cut off: the connection closed before its end.`,
        }
    }
    for (const call of torn ? [] : calls) yield { type: "call", call }
    if (calls.length === 0 && !answered) {
      if (stop === "max_tokens" && !thought && !ending.dropped && usage.output <= 1) throw noRoom()
      if (stop === "end_turn") throw new ModelFailure("empty", nothing(thought))
    }
    yield torn ? { ...end, stop: "end_turn" } : end
  }

  function brokenOff({ answered, thought, dropped }: Ending): ModelFailure {
    if (!answered && !thought && !dropped) return new ModelFailure("empty", nothing(false))
    return fail({ error: new Error("the answer broke off") })
  }

  function nothing(thought: boolean): string {
    return `Model "${id}" ${thought ? "thought, and answered nothing" : "returned nothing"}, twice. Ask again, or choose another model.`
  }

  /** Some servers cut silently: no room for a single word means that the request fills the window. */
  function noRoom(): ModelFailure {
    return fail({ body: "the context size leaves no room for an answer" })
  }

  function remember(failure: ModelFailure, words: string = failure.message): void {
    const told = failure.kind === "too_long" ? windowIn(words) : undefined
    if (told !== undefined) quirks = { ...quirks, window: told }
  }
}

class SilentTooLong extends Error {
  readonly code = "IDLE_LIMIT"
  constructor(limit: number) {
    super(`nothing came for ${Math.round(limit / 1000)} s, the limit set`)
  }
}

/** Sessions whose ids of calls we remember. */
const SESSIONS = 100

/** Ids that a call of this session may not have: those in its messages, and those of its subagents. */
function takenIds(sessions: Map<string, Set<string>>, { session, messages }: ModelRequest): Set<string> {
  const taken = sessions.get(session) ?? new Set<string>()
  sessions.delete(session)
  sessions.set(session, taken) // the last used are the last forgotten
  if (sessions.size > SESSIONS) sessions.delete(sessions.keys().next().value!)
  for (const message of messages) {
    if (message.role === "assistant") for (const call of message.calls as ToolCall[]) taken.add(call.id)
  }
  return taken
}

/** Odd JSON says nothing, and breaks nothing. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function within<T>(
  work: Promise<T>,
  limit: number | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<T | "late"> {
  if (limit === undefined) return await work
  const over = new AbortController()
  const late = sleep(limit, clock, AbortSignal.any([signal, over.signal])).then(() => "late" as const)
  late.catch(() => {}) // it was not late
  try {
    return await Promise.race([work, late])
  } finally {
    over.abort()
  }
}
