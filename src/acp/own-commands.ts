import { compact } from "../agent/compaction.ts"
import type { Content } from "../agent/message.ts"
import { type CommandText, filledIn, INIT_WORDS, implementWords } from "../instructions/commands.ts"
import { MODES, modeNamed } from "../instructions/modes.ts"
import { wordsOfPlan } from "../session/plan.ts"
import type { Session } from "../session/session.ts"
import { trustWorkspace } from "../settings/trust.ts"
import { meant } from "../text/similar.ts"
import type { Core } from "./core.ts"
import { INVENTORY } from "./inventory.ts"
import { serverCommand } from "./server-command.ts"

/** What a command comes to: an answer, or words for the model. */
export type Outcome = { reply: string } | { words: string; title?: string; more?: readonly Content[] }

/** What one is run with. */
export interface Given {
  core: Core
  session: Session
  /** All commands there are. */
  menu(): readonly CommandText[]
  /** What follows the name. */
  rest: string
  /** More than text follows it. */
  hasMore: boolean
  signal: AbortSignal
}

/** Koda's own commands, by name. */
export const OWN: Readonly<Record<string, (asked: Given) => Promise<Outcome> | Outcome>> = {
  help: ({ menu }) => ({ reply: help(menu()) }),
  plan,
  compact: shorter,
  init: ({ rest }) => ({ words: filledIn(INIT_WORDS, rest && `Mind this: ${rest}`), title: "Write KODA.md" }),
  model,
  mode,
  trust,
  mcp: async (asked) => ({ reply: await serverCommand(asked) }),
  ...Object.fromEntries(
    Object.entries(INVENTORY).map(([name, say]) => [
      name,
      async ({ core, session }: Given): Promise<Outcome> => ({ reply: await say(core, session) }),
    ]),
  ),
}

function help(commands: readonly CommandText[]): string {
  const lines = commands.map(({ name, description, hint }) => {
    return `- \`/${name}${hint === undefined ? "" : ` [${hint}]`}\` ${description}`
  })
  const more =
    "More come from Markdown files in `.koda/commands`, and from MCP servers. Anything else is a prompt: say what to do."
  return [...lines, "", more].join("\n")
}

function plan({ session, rest, hasMore }: Given): Outcome {
  if (rest === "implement") return implement(session)
  turnTo(session, "plan")
  if (rest === "" && !hasMore) {
    return { reply: "Plan mode: say what to plan. Nothing is changed until you accept the plan, or `/plan implement`." }
  }
  return { words: "[the command /plan: work out a plan for this, and change nothing]", ...(rest && { title: rest }) }
}

function implement(session: Session): Outcome {
  const { entries } = session.plan
  if (entries.length === 0 && session.entries.length === 0)
    return { reply: "There is no plan yet: `/plan` and what to plan." }
  turnTo(session, "code")
  return { words: implementWords(entries.length > 0 ? wordsOfPlan(session.plan) : ""), title: "Implement the plan" }
}

function turnTo(session: Session, mode: NonNullable<ReturnType<typeof modeNamed>>): void {
  if (session.dials.mode === mode) return
  session.change({ mode })
  session.announce("mode")
}

async function shorter({ session, signal }: Given): Promise<Outcome> {
  const { compacted, before, after } = await compact(session.parts.agent, signal)
  if (!compacted) return { reply: "There is nothing to put in fewer words." }
  return { reply: `The conversation took ${before} tokens, and takes ${after} now.` }
}

function model({ core, session, rest }: Given): Outcome {
  const models = core.catalog.list()
  if (rest === "") {
    const lines = models.map(({ modelId, name }) => row(modelId, name, modelId === session.dials.model))
    return { reply: [...lines, "", "`/model ID` chooses one."].join("\n") }
  }
  const chosen = models.find(({ modelId }) => modelId === rest)
  const names = models.map(({ modelId }) => modelId)
  if (!chosen) return { reply: `There is no model "${rest}"${meant(rest, names)}` }
  session.change({ model: chosen.modelId })
  session.announce("model")
  return { reply: `The model is ${chosen.name} from now on.` }
}

function mode({ session, rest }: Given): Outcome {
  if (rest === "") {
    const lines = MODES.map(({ id, description }) => row(id, description, id === session.dials.mode))
    return { reply: [...lines, "", "`/mode ID` chooses one."].join("\n") }
  }
  const chosen = modeNamed(rest)
  const names = MODES.map(({ id }) => id)
  if (!chosen) return { reply: `There is no mode "${rest}"${meant(rest, names)}` }
  turnTo(session, chosen)
  return { reply: `The mode is ${chosen} from now on.` }
}

function row(id: string, words: string, isCurrent: boolean): string {
  const name = isCurrent ? `**\`${id}\`**` : `\`${id}\``
  return [`- ${name}`, ...(words === id ? [] : [words]), ...(isCurrent ? ["(in use)"] : [])].join(" ")
}

async function trust({ core, session, signal }: Given): Promise<Outcome> {
  const { cwd } = session
  const { trusted, leftOut } = await core.settingsFor(cwd)
  if (trusted) return { reply: "This workspace is trusted already." }
  const now = leftOut.length === 0 ? "It has none that are left out now." : `Left out now: ${leftOut.join(", ")}.`
  const isTrusted = await session.decide(
    {
      title: `Trust ${cwd}?`,
      text: `The settings in \`${cwd}/.koda\` may then start programs and servers, and change what is asked. ${now}`,
      yes: "Trust",
      no: "Do not trust",
    },
    signal,
  )
  if (!isTrusted) return { reply: "Nothing has changed: this workspace is not trusted." }
  await trustWorkspace(core.runtime.files, core.home, cwd)
  return {
    reply: "This workspace is trusted. Its settings hold for sessions that begin from now on, not for this one.",
  }
}
