import type { Content, Display, Entry, Result } from "../agent/message.ts"
import { fenced } from "../text/fence.ts"
import { cutEnd } from "../text/truncate.ts"
import type { PlanEntry } from "./plan.ts"
import type { Listed, SavedSession } from "./saved.ts"

/** A session as a table shows it: id, when, title, folder. */
export function rowOf({ id, updated, title, cwd }: Listed): string {
  return [id, minute(updated), title ?? "(no title)", cwd].join("  ")
}

/** What there is to know of a session at a glance. */
export function summaryOf(session: SavedSession, entries: readonly Entry[]): string {
  const { id, title, cwd, model, mode, created, updated, plan } = session
  const asked = entries.filter((entry) => entry.role === "user" && !entry.hidden).length
  const rows = [
    ["session", id],
    ["title", title ?? "(none)"],
    ["folder", cwd],
    ["model", model],
    ["mode", mode],
    ["begun", minute(created)],
    ["changed", minute(updated)],
    ["prompts", String(asked)],
  ]
  const steps = plan.entries.map((entry) => `  ${stepOf(entry)}`)
  return [
    ...rows.map(([name = "", value]) => `${name.padEnd(8)} ${value}`),
    ...(steps.length > 0 ? ["plan", ...steps] : []),
  ].join("\n")
}

/** The conversation in Markdown, as the user saw it. */
export function markdownOf(session: SavedSession, entries: readonly Entry[]): string {
  const { id, title, cwd, model, updated, plan } = session
  const steps = plan.entries.length > 0 ? ["## Plan", plan.entries.map((entry) => `- ${stepOf(entry)}`).join("\n")] : []
  const head = [`# ${title ?? "Session"}`, `Session \`${id}\` in \`${cwd}\`, model ${model}, ${minute(updated)}`]
  return [...head, ...steps, ...entries.flatMap(partsOf)].join("\n\n")
}

function partsOf(entry: Entry): string[] {
  switch (entry.role) {
    case "user":
      return entry.hidden ? [] : ["## User", ...entry.content.flatMap(contentOf)]
    case "assistant": {
      const words = entry.content.flatMap(contentOf)
      return words.length > 0 ? ["## Koda", ...words] : []
    }
    case "result":
      return resultOf(entry)
    case "report":
      return [`Report of the subagent ${entry.task}:`, entry.text]
    case "summary":
      return ["*(What was said before is in few words from here on.)*"]
    case "returned":
      return []
  }
}

function contentOf(part: Content): string[] {
  if ("hidden" in part && part.hidden) return []
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? [] : [part.text.trim()]
    case "reasoning":
      return []
    case "link":
      return [`[${part.name}](${part.uri})`]
    case "image":
    case "audio":
      return [`*(${part.type}, ${part.mimeType})*`]
  }
}

/** Characters of what a call has shown. */
const SHOWN = 4_000

function resultOf({ shown: { title, display }, status }: Result): string[] {
  const how = status === "ok" ? "" : ` (${status})`
  return [`**${title}**${how}`, ...display.flatMap(displayOf)]
}

function displayOf(part: Display): string[] {
  switch (part.type) {
    case "diff":
      return [`\`${part.path}\`:`, fenced(cutEnd(part.newText, SHOWN))]
    case "terminal":
      return []
    case "text":
      return part.text.trim() === "" ? [] : [fenced(cutEnd(part.text, SHOWN))]
    default:
      return contentOf(part)
  }
}

function stepOf({ content, status }: PlanEntry): string {
  return `[${status === "completed" ? "x" : status === "in_progress" ? ">" : " "}] ${content}`
}

/** To the minute, in UTC. */
function minute(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`
}
