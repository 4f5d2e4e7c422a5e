import type { Profile } from "./profiles.ts"
import type { Role } from "./roles.ts"

/** What a subagent is to do, and as whom: all that is needed to do it again. It is kept as JSON. */
export interface Brief {
  /** The tool that began it. */
  readonly kind: "run_subagent" | "sub_agent"
  readonly description: string
  /** The work, in the words that the subagent reads. */
  readonly prompt: string
  /** It works beside its parent, reads only and asks nothing. */
  readonly background: boolean
  /** As it was when the work began. */
  readonly role: Role | null
  readonly profile: Profile | null
  readonly model: string
  /** What its parent should know of how it was started. */
  readonly note: string | null
  /** The call that began it. */
  readonly call: string
}

/** The name under which it works; null if it has none. */
export function agentName({ role, profile }: Pick<Brief, "role" | "profile">): string | null {
  return role?.name ?? profile?.id ?? null
}

/** What a person lets a subagent do in a turn that they begin. */
export type TurnPolicy = "read_only" | "auto_edit" | "yolo"
