import type { Tool } from "../agent/tool.ts"
import type { Mode, Policy } from "../permission/policy.ts"

/** How we speak to a client: the wire of Koda CLI, or the standard's alone. */
export type Dialect = "koda" | "standard"

/** What whoever starts the agent may choose. */
export interface Launch {
  readonly model?: string
  readonly policy?: Policy
  readonly mode?: Mode
  readonly dialect?: Dialect | "auto"
  /** A YAML file that `koda-scenario` plays. */
  readonly scenario?: string
  /** Further tools, for programs that embed the agent. */
  readonly tools?: readonly Tool[]
  /** Is shown each line of a connection. */
  readonly tap?: (direction: "in" | "out", line: string) => void
  readonly log?: (level: "error" | "info" | "debug", line: string) => void
}
