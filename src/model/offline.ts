import {
  type Content,
  type Message,
  type ToolCall,
  type ToolResult,
  textOf,
  type UserMessage,
} from "../agent/message.ts"
import type { Model, ModelEvent, ModelRequest } from "../agent/model.ts"
import type { ToolSpec } from "../agent/tool.ts"
import { isPutIn } from "../text/embedded.ts"
import { estimateTokens } from "../text/tokens.ts"
import { inputOf } from "./call-slots.ts"
import type { Metadata } from "./metadata.ts"
import { pieces } from "./pieces.ts"

export const OFFLINE: Metadata = {
  modelId: "koda-offline",
  name: "Koda offline",
  description: "Not a language model: looks around with real tools and shows what it found. No key, no network",
  imageSupport: false,
  contextWindow: 128_000,
}

/**
 * The model that is always there. It understands nothing: it looks at the workspace, searches for the words of the
 * prompt and shows what it found; a line `!tool_name {json}` calls that tool. What it answers follows from the request.
 */
export function offlineModel(): Model {
  return {
    id: OFFLINE.modelId,
    contextWindow: OFFLINE.contextWindow,
    takes: { image: false, audio: false },
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      signal.throwIfAborted()
      const { text, calls } = offlineReply(request)
      for (const delta of pieces(text)) yield { type: "text", delta }
      for (const call of calls) yield { type: "call", call }
      const usage = { input: inputTokens(request), output: estimateTokens(text), cached: 0, thought: 0 }
      yield { type: "end", stop: calls.length > 0 ? "tool_use" : "end_turn", usage }
    },
  }
}

interface Reply {
  text: string
  calls: ToolCall[]
}

/** One look at one thing, and what came of it. */
interface Finding {
  call: ToolCall
  result: ToolResult | undefined
}

const WHO = "I am koda-offline. I am not a language model: I can't understand you, or write code."
const HOW = [
  "To work with a language model, run `koda login`, or set `OPENAI_API_KEY` and `OPENAI_MODEL`, or add a model of your own.",
  'A line such as `!read_file {"path": "README.md"}` in your prompt calls that tool.',
].join(" ")

function offlineReply({ messages, tools }: ModelRequest): Reply {
  const { prompt, findings, steps } = situation(messages)
  if (!prompt) return said(findings.length > 0 ? [...findings.map(shown)] : [WHO, HOW])
  const written = ownWords(prompt)
  const asked = commandsIn(written, tools)
  if (asked.length > 0) return steps === 0 ? calling("", asked, prompt, steps) : said(findings.map(shown))
  if (tools.length === 0) return said([WHO, quoted(written, 20)])

  const offered = (calls: Wish[]) => calls.filter(({ name }) => tools.some((tool) => tool.name === name))
  const words = wordsOf(written)
  const first = offered([{ name: "list_directory", input: { path: "." } }])
  if (steps === 0 && first.length > 0) return calling(`${WHO} I look around in the workspace.`, first, prompt, steps)
  const second = offered([...files(findings), ...search(words)])
  if (steps === first.length && second.length > 0) return calling("", second, prompt, steps)
  return said([...findings.map(shown), HOW])
}

/** The prompt to answer, if it has no answer yet, and what was found since. */
function situation(messages: readonly Message[]): {
  prompt: UserMessage | undefined
  findings: Finding[]
  steps: number
} {
  const answered = messages.findLastIndex((message) => message.role === "assistant" && message.calls.length === 0)
  const recent = messages.slice(answered + 1)
  const prompt = recent.findLast((message) => message.role === "user" && !message.hidden) as UserMessage | undefined
  const since = recent.slice(prompt ? recent.indexOf(prompt) + 1 : 0)
  const findings = since.flatMap((message) =>
    message.role === "assistant" ? message.calls.map((call) => finding(call, since)) : [],
  )
  const steps = prompt ? new Set(findings.flatMap(({ call }) => stepOf(call, prompt) ?? [])).size : 0
  return { prompt, findings, steps }
}

function finding(call: ToolCall, messages: readonly Message[]): Finding {
  const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []))
  return { call, result: results.find(({ id }) => id === call.id) }
}

type Wish = Pick<ToolCall, "name" | "input" | "broken">

function said(parts: readonly string[]): Reply {
  return { text: parts.join("\n\n"), calls: [] }
}

/** Ids follow from the prompt's: the same request is answered alike, and no two calls are. */
function calling(text: string, wishes: readonly Wish[], prompt: UserMessage, step: number): Reply {
  const calls = wishes.map((wish, at) => ({ ...wish, id: `${idPrefix(prompt)}${step}-${at}` }))
  return { text, calls }
}

const idPrefix = ({ id }: UserMessage) => `off-${id.slice(0, 18)}-`

function stepOf({ id }: ToolCall, prompt: UserMessage): string | undefined {
  return id.startsWith(idPrefix(prompt)) ? id.slice(idPrefix(prompt).length).split("-")[0] : undefined
}

/** What the user has written: a file that comes with it says nothing for them. */
function ownWords({ content }: UserMessage): string {
  return textOf(content.filter((part) => part.type === "text" && !part.hidden && !isPutIn(part.text)))
}

function commandsIn(text: string, tools: readonly ToolSpec[]): Wish[] {
  return [...text.matchAll(/^\s*!([a-z][\w.-]*)[ \t]*(.*)$/gim)].map(([, name = "", rest = ""]) => {
    const args = rest.trim()
    if (args === "" || args.startsWith("{")) return { name, ...inputOf(args) }
    return { name, input: { [firstParameter(name, tools)]: args } }
  })
}

function firstParameter(name: string, tools: readonly ToolSpec[]): string {
  const schema = tools.find((tool) => tool.name === name)?.schema as
    | { required?: string[]; properties?: object }
    | undefined
  return schema?.required?.[0] ?? Object.keys(schema?.properties ?? {})[0] ?? "input"
}

const MANIFESTS = "package.json pyproject.toml Cargo.toml go.mod pom.xml build.gradle composer.json Gemfile deno.json"
const README = /(?<![\w.-])readme(\.md|\.txt|\.rst)?(?![\w.-])/i

/** The files that say most about a project, if the listing names them. */
function files(findings: readonly Finding[]): Wish[] {
  const listing = findings.map(({ result }) => textOf(result?.content ?? [])).join("\n")
  const listed = new Set(listing.split(/\s+/))
  const manifest = MANIFESTS.split(" ").find((name) => listed.has(name))
  const names = [manifest, README.exec(listing)?.[0]].filter((name) => name !== undefined)
  return names.map((path) => ({ name: "read_file", input: { path } }))
}

function search(words: readonly string[]): Wish[] {
  return words.length > 0 ? [{ name: "search_file_content", input: { pattern: words.join("|") } }] : []
}

const COMMON = new Set(
  "about add and are can could does file find fix for from have help how into make need please show tell that the then there this use want what when where which why will with would you your как что где это для или при чтобы если есть надо нужно сделай покажи почему зачем файл".split(
    " ",
  ),
)

/** The words of a prompt that are worth a search: not the common ones, and not many. */
function wordsOf(text: string): string[] {
  const words = text.match(/[\p{L}_][\p{L}\p{N}_]{2,}/gu) ?? []
  return [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => !COMMON.has(word)).slice(0, 5)
}

function shown({ call, result }: Finding): string {
  const { path, pattern } = (call.input ?? {}) as Record<string, unknown>
  const what = typeof path === "string" && path !== "." ? ` ${path}` : typeof pattern === "string" ? ` ${pattern}` : ""
  const how = result && result.status !== "ok" ? ` (${result.status})` : ""
  return `**${call.name}**${what}${how}\n\n${quoted(textOf((result?.content ?? []) as Content[]), 20)}`
}

function quoted(text: string, most: number): string {
  const lines = text.trimEnd().split("\n")
  const more = lines.length > most ? `\n… ${lines.length - most} more lines` : ""
  const fence = text.includes("```") ? "````" : "```"
  return `${fence}\n${lines
    .slice(0, most)
    .map((line) => line.slice(0, 200))
    .join("\n")}${more}\n${fence}`
}

function inputTokens({ instructions, messages, tools }: ModelRequest): number {
  return estimateTokens(instructions + JSON.stringify(messages) + JSON.stringify(tools))
}
