import { NO_USAGE, type ReplyStop, type ToolCall, type Usage } from "../agent/message.ts"
import type { ModelEvent } from "../agent/model.ts"
import { CallSlots, inputOf, newCallId } from "./call-slots.ts"
import { type Said, say } from "./said.ts"
import { TextCalls } from "./text-calls.ts"
import { ThinkTags } from "./think.ts"
import { laterUsage } from "./usage.ts"

/** What a reply has come to. */
export interface Ending {
  calls: ToolCall[]
  stop: ReplyStop
  usage: Usage
  /** The provider said that it had finished; else the stream only ended. */
  finished: boolean
  /** Said, not thought: whether there is any visible text. */
  answered: boolean
  thought: boolean
  /** Arguments of a call were cut off, and the call was dropped. */
  dropped: boolean
}

type Fields = Record<string, unknown>

/**
 * Reads a provider's chunks of one reply into our events, however odd the provider. Text and thoughts become events at
 * once; calls only when all has been read, since only then it is known which of them are whole.
 */
export class ReplyReader {
  readonly #slots: CallSlots
  readonly #think = new ThinkTags()
  readonly #textCalls: TextCalls
  readonly #takenIds: ReadonlySet<string>
  readonly #finishes = new Set<Finish>()
  #usage = NO_USAGE
  #done = false
  #streams = false
  #answered = false
  #thought = false

  /** `tools`: the names of those on offer. `takenIds`: ids of calls made before in the session. */
  constructor(tools: ReadonlySet<string>, takenIds: ReadonlySet<string>) {
    this.#slots = new CallSlots(tools)
    this.#textCalls = new TextCalls(tools)
    this.#takenIds = takenIds
  }

  get finished(): boolean {
    return this.#done || this.#finishes.size > 0
  }

  /** The stream said `[DONE]`. */
  get isDone(): boolean {
    return this.#done
  }

  get counted(): boolean {
    return this.#usage !== NO_USAGE
  }

  /** Adds what a chunk says to the events; adjacent deltas become one. */
  read(chunk: unknown, events: ModelEvent[]): void {
    if (typeof chunk !== "object" || chunk === null) return
    const { usage, choices, x_groq } = chunk as Fields
    if (usage) this.#usage = laterUsage(this.#usage, usage)
    if (x_groq) this.#usage = laterUsage(this.#usage, (x_groq as Fields)["usage"])
    const choice = Array.isArray(choices) ? (choices[0] as Fields | null | undefined) : undefined
    if (typeof choice !== "object" || choice === null) return
    if (choice["usage"]) this.#usage = laterUsage(this.#usage, choice["usage"])

    const { delta, message } = choice
    if (isFields(delta)) {
      this.#streams ||= Object.keys(delta).some((key) => key !== "role" && delta[key])
      this.#delta(delta, events)
    }
    if (isFields(message) && !this.#streams) this.#delta(message, events)

    const finish = finishOf(choice["finish_reason"] ?? choice["finishReason"])
    if (finish) this.#finishes.add(finish)
  }

  done(): void {
    this.#done = true
  }

  /** All has been read. Adds what was held back to the events. */
  end(events: ModelEvent[]): Ending {
    this.#answer(this.#think.end(), events)
    const { said, calls: written } = this.#textCalls.end(!this.#slots.isEmpty)
    this.#answer(said, events, "raw")

    const made = this.#slots.isEmpty
      ? written.map(({ name, args }) => ({ id: newCallId(), name, ...inputOf(args) }))
      : this.#slots.calls(this.#takenIds)
    const cut = made.some((call) => call.broken !== undefined) && (this.#finishes.has("length") || !this.finished)
    const refused = this.#finishes.has("content_filter")
    const calls = cut || refused ? [] : made
    return {
      calls,
      stop: refused
        ? "refusal"
        : calls.length > 0
          ? "tool_use"
          : this.#finishes.has("length")
            ? "max_tokens"
            : "end_turn",
      usage: this.#usage,
      finished: this.finished,
      answered: this.#answered,
      thought: this.#thought,
      dropped: cut,
    }
  }

  #delta(delta: Fields, events: ModelEvent[]): void {
    this.#reason(delta, events)
    const { content, refusal, tool_calls: calls, function_call: legacy } = delta
    if (typeof content === "string") {
      if (content) this.#answer(this.#think.push(content), events)
    } else if (Array.isArray(content)) this.#parts(content, events)
    if (typeof refusal === "string" && refusal) {
      this.#finishes.add("content_filter")
      this.#answer([{ type: "text", delta: refusal }], events)
    }
    for (const call of Array.isArray(calls) ? calls : []) {
      if (!isFields(call)) continue
      const { name, arguments: args } = isFields(call["function"]) ? call["function"] : call
      this.#slots.add({ index: call["index"], id: call["id"], name, args })
    }
    if (isFields(legacy)) this.#slots.add({ name: legacy["name"], args: legacy["arguments"] })
  }

  /** Content as a list: text, and thoughts where a provider puts them there. */
  #parts(parts: readonly unknown[], events: ModelEvent[]): void {
    for (const part of parts) {
      if (!isFields(part)) continue
      if (typeof part["text"] === "string") this.#answer(this.#think.push(part["text"]), events)
      const thinking = part["thinking"]
      const texts = Array.isArray(thinking)
        ? thinking.map((piece) => (isFields(piece) ? piece["text"] : undefined))
        : [thinking]
      for (const text of texts) if (typeof text === "string") this.#thoughts(text, undefined, events)
    }
  }

  #reason(delta: Fields, events: ModelEvent[]): void {
    for (const field of ["reasoning_content", "reasoning", "thinking"]) {
      const text = delta[field]
      if (typeof text !== "string" || !text) continue
      this.#thoughts(text, field, events)
      return
    }
    const details = delta["reasoning_details"]
    if (!Array.isArray(details)) return
    for (const detail of details) {
      const text = isFields(detail) ? (detail["text"] ?? detail["summary"]) : undefined
      if (typeof text === "string") this.#thoughts(text, undefined, events)
    }
  }

  #thoughts(delta: string, field: string | undefined, events: ModelEvent[]): void {
    if (!delta) return
    this.#think.trustAnswer()
    this.#thought ||= delta.trim() !== ""
    say(events, field === undefined ? { type: "reasoning", delta } : { type: "reasoning", delta, field })
  }

  #answer(said: readonly Said[], events: ModelEvent[], how?: "raw"): void {
    for (const part of how === "raw" ? said : this.#textCalls.push(said)) {
      if (part.type === "restart") this.#answered = false
      else if (part.type === "text") this.#answered ||= part.delta.trim() !== ""
      else this.#thought ||= part.delta.trim() !== ""
      say(events, part)
    }
  }
}

type Finish = "stop" | "length" | "content_filter"

const FINISHES: Record<string, Finish> = {
  length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  model_length: "length",
  content_filter: "content_filter",
  safety: "content_filter",
  recitation: "content_filter",
  prohibited_content: "content_filter",
  blocklist: "content_filter",
  refusal: "content_filter",
}

/** Providers lie about calls, so that all else means no more than that it is over. */
function finishOf(reason: unknown): Finish | undefined {
  if (typeof reason !== "string" || reason === "" || reason === "null") return undefined
  return FINISHES[reason.toLowerCase()] ?? "stop"
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null
}
