import * as v from "valibot"
import type { Hook, Settings } from "./keys.ts"
import { OAUTH } from "./oauth.ts"

/** What may stand at each key of a settings file. */
export type Shapes = { readonly [Key in keyof Settings]-?: v.GenericSchema<unknown, Exclude<Settings[Key], undefined>> }

const text = v.pipe(v.string(), v.trim(), v.nonEmpty("must not be empty"))
const texts = v.array(text)
const count = v.pipe(v.number(), v.integer("must be a whole number"), v.minValue(1, "must be 1 or more"))
const flag = v.boolean()

/** Values of variables and headers; numbers are written without quotes often enough. */
const strings = v.record(
  v.string(),
  v.pipe(
    v.union([v.string(), v.number(), v.boolean()]),
    v.transform((value) => String(value)),
  ),
)

const mcpServer = v.pipe(
  v.looseObject({
    command: v.optional(text),
    args: v.optional(v.array(v.string())),
    env: v.optional(strings),
    cwd: v.optional(text),
    type: v.optional(text),
    url: v.optional(text),
    httpUrl: v.optional(text),
    headers: v.optional(strings),
    timeout: v.optional(count),
    trust: v.optional(flag),
    disabled: v.optional(flag),
    includeTools: v.optional(texts),
    excludeTools: v.optional(texts),
    oauth: v.optional(v.union([flag, OAUTH])),
  }),
  v.check(({ command, url, httpUrl }) => Boolean(command ?? url ?? httpUrl), 'needs a "command" or a "url"'),
)

const subagents = v.looseObject({
  enabled: v.optional(flag),
  maxConcurrent: v.optional(v.number()), // put within its range where it is used
  allowParentToContinue: v.optional(flag),
  model: v.nullish(text),
  reasoningEffort: v.nullish(text),
  tools: v.nullish(texts),
  disabledAgentNames: v.optional(texts),
})

const hook = v.union(
  [
    v.pipe(
      text,
      v.transform((command): Hook => ({ command })),
    ),
    v.object({ command: text, matcher: v.optional(text), timeoutMs: v.optional(count) }),
  ],
  'must be a command, or {"command": …, "matcher": …, "timeoutMs": …}',
)
const hooks = v.optional(
  v.union([
    v.array(hook),
    v.pipe(
      hook,
      v.transform((one): Hook[] => [one]),
    ),
  ]),
)

const sandbox = v.union(
  [
    v.pipe(
      flag,
      v.transform((enabled) => ({ enabled, network: false })),
    ),
    v.object({ enabled: v.optional(flag, true), network: v.optional(flag, false) }),
  ],
  'must be true, false or {"network": true}',
)

const address = v.pipe(text, v.url('must be an address such as "http://127.0.0.1:8080"'))

export const SHAPES: Shapes = {
  model: text,
  approvalMode: v.picklist(["read_only", "default", "auto_edit", "yolo"]),
  mode: v.pipe(
    v.picklist(["code", "ask", "plan", "debug", "educator", "act"]),
    v.transform((mode) => (mode === "act" ? "code" : mode)),
  ),
  uiLanguage: text,
  coreTools: texts,
  excludeTools: texts,
  mcpServers: v.record(v.string(), mcpServer),
  subagents,
  plugins: texts,
  hooks: v.strictObject({ preToolUse: hooks, postToolUse: hooks, sessionStart: hooks, stop: hooks }),
  sandbox,
  webSearch: v.object({ url: address, apiKey: v.optional(text) }),
  webFetch: v.object({ allowHosts: v.optional(texts, []) }),
  lintCommand: text,
  localModels: v.union(
    [
      v.pipe(
        flag,
        v.transform((look) => (look ? [] : false)),
      ),
      v.array(address),
    ],
    "must be false, or a list of addresses",
  ),
  reasoningEffort: v.record(v.string(), text),
  contextWindow: v.record(v.string(), count),
  maxTurnRequests: count,
  mcpTimeoutMs: count,
  trustedWorkspaces: texts,
  permissions: v.object({ allow: v.optional(texts, []) }),
}
