import type { Agent } from "../agent/agent.ts"
import { Inbox } from "../agent/inbox.ts"
import { hiddenText } from "../agent/message.ts"
import type { Model } from "../agent/model.ts"
import type { Gate, Tool } from "../agent/tool.ts"
import { type SubagentPlace, subagentBriefing, subagentPrompt } from "../instructions/subagent.ts"
import type { Catalog } from "../model/catalog.ts"
import type { SessionGate } from "../permission/gate.ts"
import { agentName, type Brief, type TurnPolicy } from "../subagents/brief.ts"
import type { Definitions } from "../subagents/definitions.ts"
import { childTools, RESEARCH_TOOLS } from "../subagents/settings.ts"
import type { Work } from "../subagents/work.ts"
import { modelNamed } from "./chosen-model.ts"
import type { Dials } from "./dials.ts"

/** What a session gives its subagents. */
export interface Household {
  main(): Agent
  readonly gate: SessionGate
  readonly catalog: Catalog
  readonly definitions: Definitions
  dials(): Dials
  /** Tools that a subagent has in the place of its parent's of the same name. */
  readonly delegated: ReadonlyMap<string, Tool>
  readonly place: SubagentPlace
  /** The same tool, with what the user's hooks and the project's instructions add for who has this inbox. */
  around(tool: Tool, inbox: Inbox): Tool
}

/** No subagent has these: it starts no others, asks nobody, and the plan is its parent's. */
const NEVER: ReadonlySet<string> = new Set([
  "run_subagent",
  "sub_agent",
  "agent_status",
  "todo_write",
  "generate_plan",
  "ask_questions",
  "check_understanding",
])

/** What a person's word adds to the tools of research. */
const ADDED: Readonly<Record<TurnPolicy, readonly string[]>> = {
  read_only: [],
  auto_edit: ["replace", "edit_files", "write_file", "edit_notebook"],
  yolo: ["replace", "edit_files", "write_file", "edit_notebook", "run_shell_command", "command_status"],
}

/** The agent that does a subagent's work: its session's in all that is asked for at every step. */
export function childAgent(work: Work, household: Household): Agent {
  const { brief, policy, transcript } = work
  const { catalog, place, main } = household
  const answers = policy === undefined ? "parent" : "person"
  const inbox = new Inbox()
  if (brief.profile && transcript.entries.length === 0) inbox.post(hiddenText(subagentBriefing({ ...place, answers })))
  return {
    session: main().session,
    task: work.task,
    model: () => heardModel(modelNamed(catalog, brief.model), work.heard),
    effort: () => effortToAsk(brief, household),
    instructions: () =>
      brief.profile?.prompt ?? subagentPrompt({ ...place, mode: undefined, role: brief.role?.prompt, answers }),
    tools: () => toolsOf(work, household).map((tool) => household.around(tool, inbox)),
    gate: gateOf(work, household),
    maxSteps: work.maxSteps,
    transcript,
    inbox,
    lifetime: work.lifetime,
    holding: () => [],
    due: () => [],
    emit: work.emit,
    checkpoint: () => {}, // each entry is kept as it comes, and the task with each reply
  }
}

/** The level that a brief's requests ask for, if its model has it; null: the model's own. */
export function effortFor(
  brief: Brief,
  { catalog, definitions }: Pick<Household, "catalog" | "definitions">,
): string | null {
  const wanted = brief.role?.reasoningEffort ?? definitions.settings.current.reasoningEffort
  const { supportedEfforts = [] } = catalog.find(brief.model)?.reasoning ?? {}
  return wanted !== null && supportedEfforts.includes(wanted) ? wanted : null
}

/** What a request says of it: nothing where it is the model's own. */
function effortToAsk(brief: Brief, household: Household): string | undefined {
  const effort = effortFor(brief, household)
  return effort === household.catalog.find(brief.model)?.reasoning?.defaultEffort ? undefined : (effort ?? undefined)
}

function toolsOf({ brief, policy }: Work, { main, delegated, definitions }: Household): Tool[] {
  const all = main()
    .tools()
    .filter(({ name }) => !NEVER.has(name))
    .map((tool) => delegated.get(tool.name) ?? tool)
  if (brief.kind === "sub_agent" && !brief.background && policy === undefined) return all
  const available = all.map(({ name }) => name)
  const research =
    brief.kind === "sub_agent"
      ? RESEARCH_TOOLS
      : childTools(available, definitions.settings.current, brief.role ?? undefined)
  const names = new Set([...research, ...(policy === undefined ? [] : ADDED[policy])])
  return all.filter(({ name }) => names.has(name))
}

function gateOf({ task, brief, policy }: Work, { gate, dials }: Household): Gate {
  const who = agentName(brief) ?? "Subagent"
  const canAsk = () => false
  if (policy !== undefined) return gate.forSubagent({ who, canAsk, stance: () => ({ policy, mode: "code" }) })
  if (brief.kind === "run_subagent" || brief.background) {
    return gate.forSubagent({ who, canAsk, stance: () => ({ policy: "read_only", mode: dials().mode }) })
  }
  const own = gate.forSubagent({ who })
  return {
    offers: (tool) => own.offers(tool),
    admit: (tool, action, call, signal) => own.admit(tool, action, { ...call, id: shownId(task, call.id) }, signal),
  }
}

/** The id by which a subagent's call is shown to its parent's clients. */
export function shownId(task: string, call: string): string {
  return `${task}/${call}`
}

/** The model, telling whenever something comes of it. */
function heardModel(model: Model, heard: () => void): Model {
  return {
    id: model.id,
    get contextWindow() {
      return model.contextWindow
    },
    takes: model.takes,
    stream: (request, signal) => model.stream({ ...request, heard }, signal),
  }
}
