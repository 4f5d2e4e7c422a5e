import type { Content } from "../agent/message.ts"
import { visible } from "../text/visible.ts"
import type { RemotePrompt } from "./remote-prompts.ts"
import { outcomeOf, type RawResult } from "./result.ts"

/** A server's prompt, as a command of the user's. */
export interface ServerPrompt extends RemotePrompt {
  readonly server: string
  /** `mcp__server__prompt`. */
  readonly command: string
}

/** What may follow the command. */
export function hintOf({ arguments: taken }: RemotePrompt): string | undefined {
  return visible(taken.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(" ")) || undefined
}

/** The prompt that a command names: by its whole name, or by its own where no other server has one like it. */
export function promptNamed(prompts: readonly ServerPrompt[], name: string): ServerPrompt | undefined {
  const alike = prompts.filter((prompt) => prompt.name === name)
  return prompts.find(({ command }) => command === name) ?? (alike.length === 1 ? alike[0] : undefined)
}

/** Arguments out of what follows a command: `name=value`, and the others in their order; the last takes the rest. */
export function argumentsOf({ arguments: taken }: RemotePrompt, rest: string): Record<string, string> | string {
  const values: Record<string, string> = {}
  let left = rest.trim()
  const open = () => taken.filter(({ name }) => !Object.hasOwn(values, name))
  while (left !== "" && open().length > 0) {
    const named = /^([^\s="]+)=(?:"([^"]*)"|(\S*))\s*/.exec(left)
    if (named && open().some(({ name }) => name === named[1])) {
      values[named[1] as string] = named[2] ?? named[3] ?? ""
      left = left.slice(named[0].length)
      continue
    }
    const [{ name }] = open() as unknown as [{ name: string }]
    const [whole, quoted, bare] = /^(?:"([^"]*)"(?=\s|$)|(\S+))\s*/.exec(left) as RegExpExecArray
    const isLast = open().length === 1 && whole.length < left.length
    values[name] = isLast ? left : (quoted ?? bare ?? "")
    left = isLast ? "" : left.slice(whole.length)
  }
  const missing = taken.filter(({ name, required }) => required && !Object.hasOwn(values, name))
  if (missing.length === 0) return values
  return `It needs ${missing.map(({ name }) => `\`${name}\``).join(" and ")}`
}

/** What a prompt says, within the bounds of a result. */
export function wordsOfPrompt(result: RawResult): Content[] {
  const messages: unknown[] = Array.isArray(result["messages"]) ? result["messages"] : []
  const parts = messages.map((message) => (message as { content?: unknown } | null)?.content)
  return [...outcomeOf({ content: parts }).content]
}
