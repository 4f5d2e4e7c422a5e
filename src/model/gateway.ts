import type { Files } from "../runtime.ts"
import { baseUrlOf } from "./base-url.ts"
import { isFields, readJson, textIn, writeJson } from "./json-file.ts"
import { type Metadata, metadataOf } from "./metadata.ts"

/** Koda's gateway, as far as it is set up. */
export interface Gateway {
  baseUrl: string
  apiKey?: string
}

type JsonFiles = Pick<Files, "readText" | "write">

/** The gateway of the environment, else of what `koda login` stored; undefined without an address. */
export function gatewayOf(
  env: Readonly<Record<string, string>>,
  credentials: Record<string, unknown>,
): Gateway | undefined {
  const baseUrl = baseUrlOf(textIn(env["KODA_BASE_URL"]) ?? textIn(credentials["baseUrl"]) ?? "")
  const apiKey = textIn(env["KODA_API_KEY"]) ?? textIn(credentials["apiKey"])
  return baseUrl === undefined ? undefined : { baseUrl, ...(apiKey !== undefined && { apiKey }) }
}

export const credentialsPath = (home: string): string => `${home}/credentials.json`

/** Stores the gateway's key, and its address if one is given, for the user alone to read. */
export async function saveKey(
  files: JsonFiles,
  home: string,
  { apiKey, baseUrl }: { apiKey: string; baseUrl?: string },
): Promise<void> {
  const before = await readJson(files, credentialsPath(home))
  await writeJson(files, credentialsPath(home), {
    ...before,
    apiKey: apiKey.trim(),
    ...(baseUrl !== undefined && { baseUrl }),
  })
}

/** Forgets the stored key. False if there was none. */
export async function forgetKey(files: JsonFiles, home: string): Promise<boolean> {
  const { apiKey, ...rest } = await readJson(files, credentialsPath(home))
  if (apiKey === undefined) return false
  await writeJson(files, credentialsPath(home), rest)
  return true
}

/** The lists that servers gave last, by the address of each. */
export type KeptLists = Map<string, Metadata[]>

const listsPath = (home: string) => `${home}/models.json`

/** What was kept; a file that can't be read is as none, since it will be asked for again. */
export async function readLists(files: JsonFiles, home: string): Promise<KeptLists> {
  const { servers } = await readJson(files, listsPath(home)).catch((): Record<string, unknown> => ({}))
  const entries = Object.entries(isFields(servers) ? servers : {})
  return new Map(
    entries.map(([url, list]) => [url, Array.isArray(list) ? list.flatMap((item) => metadataOf(item) ?? []) : []]),
  )
}

/** Keeps a server's list for the next start. */
export async function keepList(
  files: JsonFiles,
  home: string,
  baseUrl: string,
  models: readonly Metadata[],
): Promise<void> {
  const before = await readJson(files, listsPath(home)).catch((): Record<string, unknown> => ({}))
  const servers = isFields(before["servers"]) ? before["servers"] : {}
  await writeJson(files, listsPath(home), { ...before, servers: { ...servers, [baseUrl]: models } })
}
