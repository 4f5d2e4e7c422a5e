import { type Launch, storeFolder } from "../acp/launch.ts"
import type { Runtime } from "../runtime.ts"
import { markdownOf, rowOf, summaryOf } from "../session/as-text.ts"
import type { Listed, SavedSession } from "../session/saved.ts"
import { openStore, type Store } from "../session/store.ts"
import { kodaHome } from "../settings/home.ts"
import { meant } from "../text/similar.ts"
import { plainText } from "../text/terminal-text.ts"
import { UsageError } from "./args.ts"
import { print } from "./print.ts"

/** What `koda sessions` is asked to do. */
interface Asked {
  does: (typeof ACTIONS)[number]
  id: string
  json: boolean
  format: "markdown" | "json"
  output: string | undefined
}

const ACTIONS = ["list", "show", "export", "delete"] as const

/** Where sessions are kept, for those who do not speak to an editor: in Koda home, if nothing else is said. */
export async function sessionsFolder(runtime: Runtime, launch: Launch): Promise<string> {
  return storeFolder(runtime, launch) ?? `${await kodaHome(runtime.system, runtime.files)}/sessions`
}

/** `koda sessions`: lists, shows, exports and deletes the sessions that are kept. */
export async function sessions(runtime: Runtime, launch: Launch, words: readonly string[]): Promise<number> {
  const asked = askedBy(words)
  const folder = await sessionsFolder(runtime, launch)
  // Looking must not make a store where there is none.
  const isThere = (await runtime.files.stat(`${folder}/sessions.sqlite`).catch(() => undefined)) !== undefined
  const store = isThere ? await openStore(runtime, folder) : undefined
  try {
    if (asked.does === "list") await list(runtime, asked, store ? all(store) : [], folder)
    else await withOne(runtime, asked, store, sessionNamed(asked.id, store, folder))
    return 0
  } finally {
    store?.close()
  }
}

async function list(runtime: Runtime, { json }: Asked, found: readonly Listed[], folder: string): Promise<void> {
  if (json) return await print(runtime, inJson({ sessions: found.map(shortly) }))
  if (found.length === 0) return await print(runtime, `There are no sessions in ${folder}`)
  await print(runtime, plainText(found.map(rowOf).join("\n")))
}

async function withOne(runtime: Runtime, asked: Asked, store: Store | undefined, session: SavedSession): Promise<void> {
  const { id } = session
  const entries = store ? [...store.entries(id)] : []
  const whole = { session: { ...shortly(session), ...detailsOf(session) }, entries }
  switch (asked.does) {
    case "show":
      return await print(runtime, asked.json ? inJson(whole.session) : plainText(summaryOf(session, entries)))
    case "export": {
      const isJson = asked.json || asked.format === "json"
      const text = isJson ? inJson(whole) : markdownOf(session, entries)
      if (asked.output === undefined) return await print(runtime, isJson ? text : plainText(text))
      const path = absolute(asked.output, runtime)
      await runtime.files.write(path, `${text}\n`, { mode: 0o600 })
      return runtime.stdio.log(`The session is written to ${path}`)
    }
    case "delete":
      store?.delete(id)
      return await print(runtime, asked.json ? inJson({ deleted: id }) : `Session ${id} is deleted`)
    case "list":
  }
}

/** The session of that id, or of the only one that begins so. */
export function sessionNamed(id: string, store: Store | undefined, folder: string): SavedSession {
  const found = store?.find(id)
  if (found) return found
  const begun = id.length >= 4 && store ? all(store).filter((session) => session.id.startsWith(id)) : []
  if (begun.length > 1) throw new Error(`"${id}" begins the ids of ${begun.length} sessions; write more of it`)
  const session = begun[0] && store?.find(begun[0].id)
  if (session) return session
  throw new Error(`There is no session "${id}" in ${folder}; \`koda sessions list\` shows those there are`)
}

/** Sessions that are read at a time. */
const PAGE = 200

function all(store: Store): Listed[] {
  const found: Listed[] = []
  for (let cursor: string | undefined; ; ) {
    const { sessions, next } = store.list({ limit: PAGE, ...(cursor !== undefined && { cursor }) })
    found.push(...sessions)
    if (next === undefined) return found
    cursor = next
  }
}

/** As `session/list` writes it. */
function shortly({ id, cwd, title, updated }: Pick<Listed, "id" | "cwd" | "title" | "updated">): object {
  return { sessionId: id, cwd, ...(title !== undefined && { title }), updatedAt: new Date(updated).toISOString() }
}

function detailsOf({ model, mode, created, plan }: SavedSession): object {
  return { model, mode, createdAt: new Date(created).toISOString(), plan }
}

function inJson(value: object): string {
  return JSON.stringify(value, null, 2)
}

function absolute(path: string, { system }: Runtime): string {
  return /^([\\/]|[A-Za-z]:[\\/])/.test(path) ? path : `${system.cwd}/${path}`
}

function askedBy(all: readonly string[]): Asked {
  const asked: Asked = { does: "list", id: "", json: false, format: "markdown", output: undefined }
  const words: string[] = []
  for (let at = 0; at < all.length; at++) {
    const word = all[at] as string
    const [name = "", ...inline] = word.split("=")
    const value = () => (inline.length > 0 ? inline.join("=") : all[++at]) ?? missing(name)
    if (word === "--json") asked.json = true
    else if (name === "--format") asked.format = formatNamed(value())
    else if (name === "--output" || name === "-o") asked.output = value()
    else if (word.startsWith("-")) throw new UsageError(`There is no option "${word}" of \`koda sessions\``)
    else words.push(word)
  }
  const [does = "list", id, ...more] = words
  if (!isAction(does)) {
    throw new UsageError(`There is no "koda sessions ${does}"${meant(does, ACTIONS)}`)
  }
  const extra = does === "list" ? id : more[0]
  if (extra !== undefined) throw new UsageError(`"${extra}" is one word too many`)
  if (does !== "export" && asked.output !== undefined) throw new UsageError("--output goes with `koda sessions export`")
  if (does !== "list" && id === undefined) throw new UsageError(`koda sessions ${does} ID: the id is missing`)
  return { ...asked, does, id: id ?? "" }
}

function isAction(word: string): word is Asked["does"] {
  return (ACTIONS as readonly string[]).includes(word)
}

function formatNamed(word: string): Asked["format"] {
  if (word === "markdown" || word === "json") return word
  throw new UsageError(`--format is one of markdown, json, not "${word}"`)
}

function missing(name: string): never {
  throw new UsageError(`${name} needs a value`)
}
