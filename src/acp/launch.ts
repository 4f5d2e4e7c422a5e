import type { Tool } from "../agent/tool.ts"
import type { OwnModel } from "../model/offers.ts"
import type { Mode, Policy } from "../permission/policy.ts"
import type { Runtime } from "../runtime.ts"

export type { OwnModel }

/** How we speak to a client: the wire of Koda CLI, or the standard's alone. */
export type Dialect = "koda" | "standard"

/** What whoever starts the agent may choose. */
export interface Launch {
  /** The id of the model that new sessions use; without it, the one of the settings or the first there is. */
  readonly model?: string
  /** How freely the agent may act; without it, as the settings say. */
  readonly policy?: Policy
  /** What kind of work it does; without it, as the settings say. */
  readonly mode?: Mode
  /** How it speaks to clients; "auto", which is the default, finds out by what each says of itself. */
  readonly dialect?: Dialect | "auto"
  /** Commands run in a sandbox, whatever the settings say. */
  readonly sandbox?: boolean
  /** A YAML file that `koda-scenario` plays. */
  readonly scenario?: string
  /** A folder in which sessions are kept; `KODA_ACP_SESSION_STORE_DIR` if not given. */
  readonly sessionStore?: string
  /** Further models, for programs that embed the agent; the first of them is the default. */
  readonly models?: readonly OwnModel[]
  /** Further tools, for programs that embed the agent. */
  readonly tools?: readonly Tool[]
  /** Is shown each line of a connection, secrets and all. */
  readonly tap?: (direction: "in" | "out", line: string) => void
  /** Is told what goes wrong, and of what else may be of interest. */
  readonly log?: (level: "error" | "info" | "debug", line: string) => void
}

/** The folder in which sessions are kept; undefined if they are not. */
export function storeFolder({ system }: Pick<Runtime, "system">, { sessionStore }: Launch): string | undefined {
  const folder = sessionStore ?? system.env()["KODA_ACP_SESSION_STORE_DIR"]
  if (!folder?.trim()) return undefined
  if (/^~(?=[\\/]|$)/.test(folder)) return system.home + folder.slice(1) // no shell has read an editor's settings
  return /^(\/|[A-Za-z]:[\\/])/.test(folder) ? folder : `${system.cwd}/${folder}`
}
