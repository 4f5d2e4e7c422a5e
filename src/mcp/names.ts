/** What models may call a tool. */
const LONGEST = 64

/** Says server and tool by itself: nothing was replaced, and it can be taken apart in one way only. */
const PLAIN_SERVER = /^[a-zA-Z0-9-]+(_[a-zA-Z0-9-]+)*$/
const PLAIN_TOOL = /^[a-zA-Z0-9_-]+$/

/**
 * The name by which models call a server's tool: one that every model's server takes, always the same, and no other
 * tool's. Where it can't say both names as they are, a number made of them ends it.
 */
export function toolName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool}`
  if (PLAIN_SERVER.test(server) && PLAIN_TOOL.test(tool) && name.length <= LONGEST) return name
  return marked(name, `${server}\0${tool}`)
}

/** Names for all tools of a session, in the order of the list; a tool that would take another's name gets one more mark. */
export function toolNames(tools: readonly { server: string; tool: string }[]): string[] {
  const taken = new Set<string>()
  return tools.map(({ server, tool }) => {
    let name = toolName(server, tool)
    for (let again = 1; taken.has(name); again++) name = marked(name, `${server}\0${tool}\0${again}`)
    taken.add(name)
    return name
  })
}

function marked(name: string, of: string): string {
  const mark = `_${hash(of)}`
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, LONGEST - mark.length) + mark
}

/** FNV-1a over 52 bits, in two halves: it need not be secret, only always the same. */
function hash(text: string): string {
  let low = 0x811c9dc5
  let high = 0x01000193
  for (const byte of new TextEncoder().encode(text)) {
    low = Math.imul(low ^ byte, 0x01000193) >>> 0
    high = Math.imul(high ^ byte ^ (low >>> 13), 0x85ebca6b) >>> 0
  }
  return low.toString(16).padStart(8, "0") + (high >>> 16).toString(16).padStart(4, "0")
}
