/** What the user has settled, for all that needs it; what was not said has its default. */
export interface Settings {
  readonly model?: string
  readonly approvalMode: "read_only" | "default" | "auto_edit" | "yolo"
  readonly mode: "code" | "ask" | "plan" | "debug" | "educator"
  readonly uiLanguage?: string
  /** The only tools there are; all of them if it is not there. */
  readonly coreTools?: readonly string[]
  readonly excludeTools: readonly string[]
  readonly mcpServers: Readonly<Record<string, McpServerSettings>>
  readonly subagents: SubagentSettings
  /** Folders of plug-ins. */
  readonly plugins: readonly string[]
  readonly hooks: { readonly [Event in HookEvent]?: readonly Hook[] | undefined }
  readonly sandbox: { readonly enabled: boolean; readonly network: boolean }
  readonly webSearch?: { readonly url: string; readonly apiKey?: string | undefined }
  readonly webFetch: { readonly allowHosts: readonly string[] }
  /** `{files}` stands for the paths. */
  readonly lintCommand?: string
  /** Addresses of model servers besides those that are looked for on this machine; false: none are looked for. */
  readonly localModels: false | readonly string[]
  /** By model. */
  readonly reasoningEffort: Readonly<Record<string, string>>
  /** Tokens, by model. */
  readonly contextWindow: Readonly<Record<string, number>>
  readonly maxTurnRequests: number
  readonly mcpTimeoutMs?: number
  /** Real paths. */
  readonly trustedWorkspaces: readonly string[]
  readonly permissions: { readonly allow: readonly string[] }
}

/** An MCP server as other agents' settings write it; what we do not know of it is kept. */
export interface McpServerSettings {
  readonly command?: string | undefined
  readonly args?: readonly string[] | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly cwd?: string | undefined
  readonly type?: string | undefined
  readonly url?: string | undefined
  readonly httpUrl?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Milliseconds. */
  readonly timeout?: number | undefined
  readonly trust?: boolean | undefined
  readonly disabled?: boolean | undefined
  readonly includeTools?: readonly string[] | undefined
  readonly excludeTools?: readonly string[] | undefined
  readonly [key: string]: unknown
}

export interface SubagentSettings {
  readonly enabled?: boolean | undefined
  readonly maxConcurrent?: number | undefined
  readonly allowParentToContinue?: boolean | undefined
  readonly model?: string | null | undefined
  readonly reasoningEffort?: string | null | undefined
  readonly tools?: readonly string[] | null | undefined
  readonly disabledAgentNames?: readonly string[] | undefined
  readonly [key: string]: unknown
}

export type HookEvent = "preToolUse" | "postToolUse" | "sessionStart" | "stop"

/** A shell command that is told of an event on its standard input. */
export interface Hook {
  readonly command: string
  /** A pattern for names of tools. */
  readonly matcher?: string | undefined
  readonly timeoutMs?: number | undefined
}

/** What one file says: the keys that are in it, checked. */
export type Said = Partial<Settings>

/** What holds where nothing is said. */
export const DEFAULTS: Settings = {
  approvalMode: "default",
  mode: "code",
  excludeTools: [],
  mcpServers: {},
  subagents: {},
  plugins: [],
  hooks: {},
  sandbox: { enabled: false, network: false },
  webFetch: { allowHosts: [] },
  localModels: [],
  reasoningEffort: {},
  contextWindow: {},
  maxTurnRequests: 200,
  trustedWorkspaces: [],
  permissions: { allow: [] },
}
