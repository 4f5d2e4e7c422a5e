import type { Agent } from "../agent/agent.ts"
import { Inbox } from "../agent/inbox.ts"
import { saidReply, textOf } from "../agent/message.ts"
import type { Tool } from "../agent/tool.ts"
import { Transcript } from "../agent/transcript.ts"
import { delegationText } from "../instructions/delegation.ts"
import { systemPrompt } from "../instructions/system.ts"
import type { Servers } from "../mcp/servers.ts"
import type { Ask, SessionGate } from "../permission/gate.ts"
import type { Deliveries } from "../subagents/delivery.ts"
import { profilesText, rolesText } from "../subagents/offered.ts"
import { delegatedTools, misnamed, toolsFor } from "../tools/catalog.ts"
import type { Commands } from "../workspace/commands.ts"
import { ripgrep } from "../workspace/ripgrep.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { effortToAsk, modelNamed } from "./chosen-model.ts"
import type { Hooks } from "./hooks.ts"
import { type Knowledge, knowledgeOf } from "./knowledge.ts"
import type { SessionNeeds, SessionParams, SessionTies } from "./needs.ts"
import { offeredTools } from "./offered.ts"
import { isNews, isOpen, type Plan, type PlanEntry, wordsOfPlan } from "./plan.ts"
import { serversOf } from "./servers.ts"
import { type Subagents, subagentsOf } from "./subagents.ts"
import { workbenchOf } from "./workbench.ts"

/** The agent of a session, and what the session itself must reach of it. */
export interface MainAgent {
  readonly agent: Agent
  readonly gate: SessionGate
  readonly subagents: Subagents
  readonly servers: Servers
  readonly workspace: Workspace
  readonly commands: Commands
  readonly knowledge: Knowledge
  readonly hooks: Hooks
  /** Whether a path leads to keys or secrets. */
  isSecret(path: string): Promise<boolean>
}

export function mainAgent(params: SessionParams, needs: SessionNeeds, ties: SessionTies): MainAgent {
  const { runtime, machine, catalog } = needs
  const { files, processes, system } = runtime
  const { cwd, roots } = params
  const ask: Ask = (question, signal) => {
    subagents.show(question)
    return ties.ask(question, signal)
  }
  const bench = workbenchOf(params, needs, { ...ties, ask })
  const { workspace, commands, hooks, gate, isSecret } = bench
  const inbox = new Inbox()
  if (params.plan && isNews(params.plan, params.entries ?? [])) inbox.remind("plan", wordsOfPlan(params.plan))
  const conclude = (words: string) => {
    const before = textOf(inbox.takeScripted()?.content ?? [])
    inbox.script(saidReply(before ? `${before}\n\n${words}` : words))
  }
  const reachable = {
    workspace,
    commands,
    sieve: ripgrep(processes, system.env(), cwd, system.home),
    repositories: bench.repositories,
    publish: (entries: Plan["entries"], explanation?: string) =>
      ties.publish({ entries, ...(explanation !== undefined && { explanation }) }),
    inquire: ties.inquire,
    conclude,
    propose: (steps: readonly string[], words: string) => {
      const entries = steps.map((content): PlanEntry => ({ content, status: "pending", priority: "medium" }))
      ties.propose({ entries })
      conclude(words)
    },
  }
  const selection = { core: params.coreTools, excluded: params.excludeTools }
  const { definitions, journal, entries = [] } = params
  const { settings } = definitions
  const knowledge = knowledgeOf(
    {
      files,
      cwd,
      roots,
      home: system.home,
      isSecret,
      kodaHome: needs.home,
      plugins: () => settings.rest.plugins,
      allowedSkills: params.allowedSkills,
    },
    entries,
    inbox,
  )
  const { project, skills } = knowledge
  const place = {
    cwd,
    roots,
    os: system.os,
    get project() {
      return project.text
    },
  }
  const around = (tool: Tool, inbox: Inbox) => hooks.around(knowledge.following(tool, inbox))
  const delegated = delegatedTools(reachable)
  const household = { main: () => parent, around, gate, catalog, definitions, dials: ties.dials, delegated, place }
  const subagents = subagentsOf({ household, journal: journal.tasks, entries, clock: machine.clock }, ties)
  const all = { ...reachable, ...needs.settings, fetch: runtime.fetch, skills: skills.activatable }
  const whole = [...toolsFor(all), ...subagents.tools, ...needs.ownTools]
  for (const words of misnamed(whole, selection)) ties.remark(words)
  const servers = serversOf(params, needs, ties, inbox)
  const tools = offeredTools(whole, {
    selection,
    ofServers: () => servers.tools,
    following: (tool) => knowledge.following(tool, inbox),
    isTeaching: () => ties.dials().mode === "educator",
    hasSkills: () => skills.current.length > 0,
    mayResearch: () => settings.current.enabled,
  })
  const delegation = () =>
    delegationText({
      research: tools.has("run_subagent"),
      handover: tools.has("sub_agent"),
      roles: rolesText(definitions.current),
      profiles: profilesText(definitions.current),
    })
  const agent: Agent = {
    session: params.id,
    model: () => modelNamed(catalog, ties.dials().model),
    effort: () => effortToAsk(catalog, ties.dials()),
    instructions: () =>
      systemPrompt({
        cwd,
        roots,
        os: system.os,
        mode: ties.dials().mode,
        delegation: delegation(),
        project: project.text,
        skills: tools.has("activate_skill") ? skills.text : "",
        ...(params.client && { client: params.client }),
      }),
    tools: tools.now,
    absent: tools.absent,
    lasting: () => [...knowledge.given, ...(isOpen(ties.plan()) ? [wordsOfPlan(ties.plan())] : [])],
    gate,
    maxSteps: needs.maxSteps,
    transcript: transcriptOf(params, subagents.deliveries),
    inbox,
    lifetime: ties.lifetime,
    holding: () => (ties.waits() && !settings.current.allowParentToContinue ? subagents.tasks.holding : []),
    due: () => subagents.deliveries.due(),
    emit: ties.tell,
    checkpoint: () => params.journal.checkpoint(agent.transcript.entries.length),
  }
  const parent: Agent = { ...agent, tools: tools.lent }
  return { agent: hooks.heard(agent), gate, subagents, servers, workspace, commands, knowledge, hooks, isSecret }
}

/** What was said, and where what will be said is written down first, with what becomes of reports by it. */
function transcriptOf({ entries = [], journal }: SessionParams, deliveries: Deliveries): Transcript {
  let seq = entries.length
  return new Transcript(entries, (entry) => {
    journal.tasks.atomically(() => {
      journal.append(seq, entry)
      deliveries.follow(entry)
    })
    seq++
  })
}
