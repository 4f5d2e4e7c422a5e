import { toJsonSchema } from "@valibot/to-json-schema"
import type { Settings } from "./keys.ts"
import { SHAPES } from "./shape.ts"

/** What each key is for, as editors show it. */
const WORDS: Readonly<Record<keyof Settings, string>> = {
  model: "The model of new sessions, by its id.",
  approvalMode: "How freely the agent may act.",
  mode: "What kind of work it does.",
  uiLanguage: "The language of what is shown.",
  coreTools: "The only tools that are offered, by name.",
  excludeTools: "Tools that are not offered.",
  mcpServers: "Servers of the Model Context Protocol, by name.",
  subagents: "Who does research, and how.",
  plugins: "Folders of plug-ins.",
  hooks: "Programs that are told of what happens, and may object.",
  sandbox: "Whether commands may write only in the workspace, and whether they reach the network.",
  webSearch: "A search engine that answers as SearXNG does.",
  webFetch: "Hosts on private networks that may be fetched from.",
  lintCommand: "A command that checks files; {files} stands for their paths.",
  localModels:
    "Addresses of model servers besides those that are looked for on this machine; false: none are looked for.",
  reasoningEffort: "How hard a model thinks, by model.",
  contextWindow: "The size of a model's context window in tokens, by model.",
  maxTurnRequests: "Replies of the model in one turn, at most.",
  mcpTimeoutMs: "How long a call to an MCP server may take, in milliseconds.",
  trustedWorkspaces: "Folders whose settings hold in full. Only in your own settings.",
  permissions: "What need not be asked about.",
}

/** Settings as JSON Schema, for editors. What only a check of ours can tell is left out; unknown keys are allowed. */
export function settingsSchema(): object {
  const properties = Object.entries(SHAPES).map(([key, shape]) => {
    const { $schema: _, ...schema } = toJsonSchema(shape, { typeMode: "input", errorMode: "ignore" })
    return [key, { description: WORDS[key as keyof Settings], ...schema }]
  })
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Settings of koda",
    type: "object",
    properties: Object.fromEntries(properties),
  }
}
