import type { Content } from "../agent/message.ts"
import {
  COMMANDS,
  type CommandText,
  commandsFolder,
  type FileCommand,
  filledIn,
  readCommands,
  splitCommand,
} from "../instructions/commands.ts"
import { hintOf, promptNamed, type ServerPrompt } from "../mcp/prompt.ts"
import type { Resolve } from "../session/prompted.ts"
import type { Session } from "../session/session.ts"
import { isPutIn } from "../text/embedded.ts"
import { hidden } from "./content.ts"
import type { Core } from "./core.ts"
import { type Outcome, OWN } from "./own-commands.ts"
import { withReferences } from "./references.ts"
import type { Update } from "./updates.ts"

/** Reads what a prompt of this session refers to, and does what it commands. */
export function resolverFor(core: Core, session: Session): Resolve {
  return async (content, signal) => {
    const whole = await withReferences(content, session.parts, signal)
    const run = await commandIn(content, core, session)
    if (!run) return { content: whole }
    const outcome = await run(signal)
    if ("reply" in outcome) return { content: whole, reply: outcome.reply }
    const [first, ...more] = whole
    const words: Content = { type: "text", text: `\n\n${outcome.words}`, hidden: true }
    const { title, more: said = [] } = outcome
    return {
      content: [first as Content, words, ...said.map((part) => hidden(part, "\n")), ...more],
      ...(title !== undefined && { title }),
    }
  }
}

/** The menu of a session's commands. */
export function commandsUpdate(session: Session): Update {
  const availableCommands = menuOf(session).map(({ name, description, hint }) => {
    return { name, description, ...(hint !== undefined && { input: { hint } }) }
  })
  return { sessionUpdate: "available_commands_update", availableCommands }
}

/** Ours, those of the workspace, and the prompts of MCP servers. */
function menuOf({ commands, parts: { servers } }: Session): CommandText[] {
  const prompts = servers.prompts.map((prompt) => {
    const hint = hintOf(prompt)
    const description = `${prompt.server}: ${prompt.description || prompt.name}`
    return { name: prompt.command, description, ...(hint !== undefined && { hint }) }
  })
  return [...COMMANDS, ...commands, ...prompts]
}

/** How long files of commands must be at rest before they are read again. */
const REST_MS = 150

/** Reads the workspace's commands, and again whenever their files change, until the session ends. */
export async function offerCommands({ runtime: { files } }: Core, session: Session): Promise<void> {
  const { cwd, parts } = session
  const read = async () => {
    const commands = await readCommands(files, cwd, parts.isSecret)
    if (JSON.stringify(commands) !== JSON.stringify(session.commands)) session.offer(commands)
  }
  await read()
  void watch().catch(() => {}) // what can't be watched is read at the next start

  async function watch(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve)) // the answer to whoever opens the session goes first
    let timer: ReturnType<typeof setTimeout> | undefined
    const changes = files.watch([commandsFolder(cwd)], parts.agent.lifetime)
    await read() // what has changed before it was watched
    for await (const _ of changes) {
      clearTimeout(timer)
      timer = setTimeout(() => void read().catch(() => {}), REST_MS) // the next change tells
    }
    clearTimeout(timer)
  }
}

/** The command with which the prompt begins, ready to run. Other words with a slash are the model's to read. */
async function commandIn(
  [first, ...more]: readonly Content[],
  core: Core,
  session: Session,
): Promise<((signal: AbortSignal) => Promise<Outcome> | Outcome) | undefined> {
  const command = first?.type === "text" ? splitCommand(first.text) : undefined
  if (!command) return undefined
  const rest = [command.rest, ...more.map(wordsIn)].join(" ").trim()
  const asked = { core, session, menu: () => menuOf(session), rest, hasMore: more.length > 0 }
  const own = Object.hasOwn(OWN, command.name) ? OWN[command.name] : undefined
  if (own) return (signal) => own({ ...asked, signal })
  const files = await readCommands(core.runtime.files, session.cwd, session.parts.isSecret)
  const file = files.find(({ name }) => name === command.name)
  if (file) return () => fromFile(file, rest)
  const { servers } = session.parts
  if (!servers.isEmpty) await servers.ready()
  const prompt = promptNamed(servers.prompts, command.name)
  return prompt && ((signal) => fromServer(session, prompt, rest, signal))
}

/** What of a prompt can stand where a command names its arguments. */
function wordsIn(part: Content): string {
  if (part.type === "link") return /^https?:/i.test(part.uri) ? part.uri : part.name
  return part.type === "text" && !isPutIn(part.text) ? part.text.trim() : ""
}

function fromFile({ name, words }: FileCommand, rest: string): Outcome {
  return { words: `[the command /${name}]\n${filledIn(words, rest)}` }
}

/** The user has chosen it; who has written it is said. */
async function fromServer(session: Session, prompt: ServerPrompt, rest: string, signal: AbortSignal): Promise<Outcome> {
  const { command, server } = prompt
  const hint = hintOf(prompt)
  const said = await session.parts.servers.prompt(prompt, rest, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    return `It can't be used now: ${error instanceof Error ? error.message : String(error)}`
  })
  if (typeof said === "string") return { reply: `${said}.\n\n\`/${command}${hint === undefined ? "" : ` ${hint}`}\`` }
  return { words: `[the command /${command}: a prompt of the MCP server "${server}"]`, more: said }
}
