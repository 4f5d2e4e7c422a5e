import type { Tool } from "../agent/tool.ts"
import type { Mode, Policy } from "../permission/policy.ts"
import type { Dialect } from "./client.ts"

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
  /** Is shown each line of the connection. */
  readonly tap?: (direction: "in" | "out", line: string) => void
  readonly log?: (level: "error" | "info" | "debug", line: string) => void
}
