import * as v from "valibot"
import type { Asked } from "../session/saved.ts"
import { OWN } from "./client.ts"
import type { Call } from "./connection.ts"
import { SERVERS, type Servers } from "./mcp-state.ts"
import { FOLDER, invalidParams, parse } from "./params.ts"
import { SYSTEM, systemOf } from "./system-prompt.ts"

/** What a client asks of a session that it opens, new or saved. */
export interface Request {
  /** Absolute. */
  cwd: string
  /** `cwd` and the additional directories. */
  roots: readonly string[]
  /** Only what was given: a saved session has the rest. */
  asked: Asked
  servers: Servers
}

const NAMES = v.nullish(v.array(v.string()))

/** Koda's own fields, at the root or in `_meta`. */
const OWN_FIELDS = v.looseObject({
  systemPrompt: SYSTEM,
  coreTools: NAMES,
  excludeTools: NAMES,
  allowedSkills: NAMES,
})
const FIELDS = v.looseObject({
  ...OWN_FIELDS.entries,
  cwd: FOLDER,
  additionalDirectories: v.nullish(v.array(FOLDER), []),
  mcpServers: SERVERS,
  _meta: v.nullish(v.looseObject({ [OWN]: v.nullish(OWN_FIELDS) })),
})

/** The params of `session/new`, which are also those of `session/load`, `session/resume` and `session/fork`. */
export function requestOf({ params }: Call): Request {
  const { cwd, additionalDirectories, mcpServers, _meta, ...root } = parse(FIELDS, params)
  const own = _meta?.[OWN]
  const system = systemOf(root.systemPrompt ?? own?.systemPrompt)
  const coreTools = root.coreTools ?? own?.coreTools
  const excludeTools = root.excludeTools ?? own?.excludeTools
  const allowedSkills = root.allowedSkills ?? own?.allowedSkills
  return {
    cwd,
    roots: [...new Set([cwd, ...(additionalDirectories ?? [])])],
    servers: mcpServers,
    asked: {
      ...(system && { system }),
      ...(coreTools && { coreTools }),
      ...(excludeTools && { excludeTools }),
      ...(allowedSkills && { allowedSkills }),
    },
  }
}

/** Fails if one of its folders is not there. */
export async function checkFolders({ core }: Call, { roots }: Request): Promise<void> {
  for (const folder of roots) {
    const info = await core.runtime.files.stat(folder).catch((error: Error) => {
      throw invalidParams(`the folder "${folder}" can't be read: ${error.message}`, undefined, "not_found")
    })
    if (info?.kind !== "folder") throw invalidParams(`there is no folder "${folder}"`, undefined, "not_found")
  }
}
