import type { Content } from "../agent/message.ts"
import { isPutIn } from "../text/embedded.ts"
import { meantPath } from "../workspace/meant.ts"
import type { Workspace } from "../workspace/workspace.ts"

/** A word of a prompt that may name a file: `@src/a.ts`, `@src/a.ts:10-20`, `@"with space.txt"`. */
export interface Mention {
  /** As it stands there. */
  said: string
  path: string
  from?: number
  to?: number
}

/** Something that a prompt refers to, and the lines of it. */
export interface Target {
  /** As the prompt says it. */
  uri: string
  path: string
  from?: number
  to?: number
  /** It is a resource of this MCP server, not a file. */
  server?: string
}

/** Of more in one prompt the rest stays words. */
const MOST = 20

/** The mentions in what the user has written; what was put in from elsewhere has none. */
export function mentionsIn(content: readonly Content[]): Mention[] {
  const found = content.flatMap((part) => {
    if (part.type !== "text" || part.hidden || isPutIn(part.text)) return []
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
): Promise<Target[]> {
  const found = await Promise.all(
    mentionsIn(content).map(async (mention) => (await find(mention, workspace)) ?? resourceIn(mention, servers)),
  )
  return found.filter((one) => one !== undefined)
}

function mentionOf(bare: string): Mention {
  const [, path = bare, from, to] = /^(.+?)(?::|#L)(\d+)(?:[-:]L?(\d+))?$/.exec(bare) ?? []
  return { said: `@${bare}`, path, ...(from && { from: Number(from), to: Number(to ?? from) }) }
}

/** An address may end like a place in a file: it is what was said, whole. */
function resourceIn({ said }: Mention, servers: readonly string[]): Target | undefined {
  const [, quoted, bare = ""] = /^@(?:"(.*)"|(.*))$/.exec(said) ?? []
  const named = quoted ?? bare
  const [server] = servers
    .filter((name) => named.startsWith(`${name}:`) && named.length > name.length + 1)
    .sort((one, other) => other.length - one.length)
  return server === undefined ? undefined : { uri: said, path: named.slice(server.length + 1), server }
}

/** Undefined for what names nothing here, and so is only a word. */
async function find({ said, path: named, ...lines }: Mention, workspace: Workspace): Promise<Target | undefined> {
  const { files, cwd, roots } = workspace
  if (named.includes("\0")) return undefined
  for (const root of new Set([cwd, ...roots])) {
    const path = await meantPath(workspace, named, root)
    if (await files.stat(path).catch(() => undefined)) return { uri: said, path, ...lines }
  }
  return undefined
}
