import { oneLine } from "../text/truncate.ts"
import type { Brief } from "./brief.ts"
import type { Profile } from "./profiles.ts"
import type { Role } from "./roles.ts"

/** Who can be given work, and on which models they work. Each throws an Error that tells the model what to do instead. */
export interface Crew {
  roleFor(name: string): Promise<Role>
  profileFor(id: string): Promise<Profile>
  /** The model for this wish; null: the parent's. */
  modelFor(kind: Brief["kind"], wish: string | null): { model: string; note: string | null }
}

/** Characters of what a task is called. */
const DESCRIPTION = 160

/** What `run_subagent` is asked for. */
export interface Research {
  description: string
  prompt: string
  agent?: string | undefined
}

/** What `sub_agent` is asked for. */
export interface Delegation {
  goal: string
  scope?: string | undefined
  expectedDeliverables?: string | undefined
  background: boolean
}

export async function researchBrief(
  { description, prompt, agent }: Research,
  call: string,
  crew: Crew,
): Promise<Brief> {
  const role = agent === undefined ? null : await crew.roleFor(agent)
  const hired = crew.modelFor("run_subagent", role?.model ?? null)
  const said = oneLine(description, DESCRIPTION)
  return { kind: "run_subagent", description: said, prompt, background: true, role, profile: null, call, ...hired }
}

export function delegationBrief(profile: Profile, delegation: Delegation, call: string, crew: Crew): Brief {
  const { goal, background } = delegation
  const description = oneLine(goal.trim().split("\n")[0] as string, DESCRIPTION)
  const prompt = promptOf(delegation)
  const hired = crew.modelFor("sub_agent", profile.model)
  return { kind: "sub_agent", description, prompt, background, role: null, profile, call, ...hired }
}

/** The same work as whoever its role or profile makes of it now. */
export async function renewedBrief(brief: Brief, crew: Crew): Promise<Brief> {
  const role = brief.role && (await crew.roleFor(brief.role.name))
  const profile = brief.profile && (await crew.profileFor(brief.profile.id))
  return { ...brief, role, profile, ...crew.modelFor(brief.kind, role?.model ?? profile?.model ?? null) }
}

function promptOf({ goal, scope, expectedDeliverables }: Delegation): string {
  return [
    goal,
    ...(scope ? [`Stay within: ${scope}`] : []),
    ...(expectedDeliverables ? [`Expected of you: ${expectedDeliverables}`] : []),
  ].join("\n\n")
}
