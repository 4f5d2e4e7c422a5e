import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { z } from "zod"
import type { Message } from "./client.ts"

const PATH = createRequire(import.meta.url).resolve("@agentclientprotocol/sdk/schema/v1/schema.json")
const { $defs } = JSON.parse(readFileSync(PATH, "utf8"))

const schemas = new Map<string, z.ZodType>()

/** What the protocol's own schema has against a value of this type. */
export function faultsOf(type: string, value: unknown): string[] {
  const schema = schemas.get(type) ?? z.fromJSONSchema({ $ref: `#/$defs/${type}`, $defs })
  schemas.set(type, schema)
  const { error } = schema.safeParse(value)
  return (error?.issues ?? []).map(
    ({ path, message }) => `${type} ${path.join(".")}: ${message} in ${JSON.stringify(value)}`,
  )
}

const ANSWERS: Readonly<Record<string, string>> = {
  initialize: "InitializeResponse",
  authenticate: "AuthenticateResponse",
  logout: "LogoutResponse",
  "session/new": "NewSessionResponse",
  "session/load": "LoadSessionResponse",
  "session/resume": "ResumeSessionResponse",
  "session/list": "ListSessionsResponse",
  "session/delete": "DeleteSessionResponse",
  "session/close": "CloseSessionResponse",
  "session/prompt": "PromptResponse",
  "session/set_mode": "SetSessionModeResponse",
  "session/set_config_option": "SetSessionConfigOptionResponse",
}

const ASKED: Readonly<Record<string, string>> = {
  "session/update": "SessionNotification",
  "session/request_permission": "RequestPermissionRequest",
  "fs/read_text_file": "ReadTextFileRequest",
  "fs/write_text_file": "WriteTextFileRequest",
  "terminal/create": "CreateTerminalRequest",
  "terminal/output": "TerminalOutputRequest",
  "terminal/wait_for_exit": "WaitForTerminalExitRequest",
  "terminal/kill": "KillTerminalRequest",
  "terminal/release": "ReleaseTerminalRequest",
  "elicitation/create": "CreateElicitationRequest",
  "$/cancel_request": "CancelRequestNotification",
}

/** What the schema has against what an agent said; answers are to requests of these methods, by id. */
export function faultsIn(messages: readonly Message[], methods: ReadonlyMap<unknown, string>): string[] {
  return messages.flatMap(({ id, method, params, result, error }) => {
    if (method !== undefined)
      return ASKED[method] ? faultsOf(ASKED[method], params) : [`${method} is not of the standard`]
    if (error) return faultsOf("Error", error)
    const type = ANSWERS[methods.get(id) ?? ""]
    return type ? faultsOf(type, result) : []
  })
}
