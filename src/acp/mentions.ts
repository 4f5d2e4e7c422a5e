import type { Content } from "../agent/message.ts"
import { isVersionControl, rulesAround } from "../workspace/ignore.ts"
import { pathWithin, resolvePath } from "../workspace/paths.ts"
import type { Workspace } from "../workspace/workspace.ts"

/** A word of a prompt that may name a file: `@src/a.ts`, `@src/a.ts:10-20`, `@"with space.txt"`. */
export interface Mention {
  /** As it stands there. */
  said: string
  path: string
  from?: number
  to?: number
}

/** A mention that names something in the workspace, or why it is not included. */
export interface Mentioned {
  uri: string
  path: string
  from?: number
  to?: number
  left?: string
  /** It is a resource of this MCP server, not a file. */
  server?: string
}

/** Of more in one prompt the rest stays words. */
const MOST = 20

/** The mentions in what the user has written; what was put in from elsewhere has none. */
export function mentionsIn(content: readonly Content[]): Mention[] {
  const found = content.flatMap((part) => {
    if (part.type !== "text" || part.hidden || part.text.startsWith("<resource uri=")) return []
    const plain = part.text.replaceAll(/^(```|~~~)[^\n]*\n[\s\S]*?^\1/gm, "") // code has an @ of its own
    return Array.from(
      plain.matchAll(/(?<=^|[\s([{"'`,;])@(?:"([^"\n]+)"|([^\s"'`<>|]+))/g),
      ([said, quoted, bare = ""]) =>
        quoted === undefined ? mentionOf(bare.replace(/[.,;:!?)\]}]+$/, "")) : { said, path: quoted },
    )
  })
  const once = new Map(found.filter(({ path }) => path !== "").map((mention) => [mention.said, mention]))
  return [...once.values()].slice(0, MOST)
}

/**
 * Those that name something that is there, or a resource of one of these servers as `@server:uri`, in the order in which
 * they were said.
 */
export async function mentioned(
  content: readonly Content[],
  workspace: Workspace,
  servers: readonly string[] = [],
): Promise<Mentioned[]> {
  const found = await Promise.all(
    mentionsIn(content).map(async (mention) => (await find(mention, workspace)) ?? resourceIn(mention, servers)),
  )
  return found.filter((one) => one !== undefined)
}

/** Whether a name is one that secrets are kept under, wherever it lies. */
export function isSecretName(path: string): boolean {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).toLowerCase()
  if (/^\.env(\..+)?$/.test(name)) return !/\.(example|sample|template|dist)$/.test(name)
  return /\.(pem|key|p12|pfx|jks|keystore|kdbx)$|^id_(rsa|dsa|ecdsa|ed25519)$|^\.(netrc|npmrc|pypirc|pgpass)$/.test(
    name,
  )
}

function mentionOf(bare: string): Mention {
  const [, path = bare, from, to] = /^(.+?)(?::|#L)(\d+)(?:[-:]L?(\d+))?$/.exec(bare) ?? []
  return { said: `@${bare}`, path, ...(from && { from: Number(from), to: Number(to ?? from) }) }
}

/** An address may end like a place in a file: it is what was said, whole. */
function resourceIn({ said }: Mention, servers: readonly string[]): Mentioned | undefined {
  const [, quoted, bare = ""] = /^@(?:"(.*)"|(.*))$/.exec(said) ?? []
  const named = quoted ?? bare
  const [server] = servers
    .filter((name) => named.startsWith(`${name}:`) && named.length > name.length + 1)
    .sort((one, other) => other.length - one.length)
  return server === undefined ? undefined : { uri: said, path: named.slice(server.length + 1), server }
}

/** Undefined for what names nothing here, and so is only a word. */
async function find({ said, path: named, ...lines }: Mention, workspace: Workspace): Promise<Mentioned | undefined> {
  const { files, cwd, home, roots } = workspace
  if (named.includes("\0")) return undefined
  for (const root of new Set([cwd, ...roots])) {
    const path = resolvePath(root, named, home)
    const info = await files.stat(path).catch(() => undefined)
    if (!info) continue
    const left = await whyNot(path, workspace).catch(() => "it can't be looked at")
    return { uri: said, path, ...lines, ...(left !== undefined && { left }) }
  }
  return undefined
}

async function whyNot(path: string, { files, roots }: Workspace): Promise<string | undefined> {
  const [real, ...bounds] = await Promise.all([path, ...roots].map((one) => files.realPath(one)))
  const within = bounds.map((bound) => pathWithin(bound, real as string)).find((one) => one !== undefined)
  if (within === undefined) return "it lies outside of the workspace and was not included"
  if (within.split("/").some(isVersionControl)) return "it is version control's own and was not included"
  if (isSecretName(path) || isSecretName(real as string)) return "it may hold secrets and was not included"
  const isIgnored = (await rulesAround(files, path, roots)) === undefined
  return isIgnored ? "it is ignored and was not included" : undefined
}
