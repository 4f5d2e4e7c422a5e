import { textContent } from "../agent/message.ts"
import { normalise } from "../agent/normalise.ts"
import type { Action, Tool } from "../agent/tool.ts"
import { type Clock, throttle } from "../clock.ts"
import { fenced } from "../text/fence.ts"
import { cutEnd } from "../text/truncate.ts"
import { visible } from "../text/visible.ts"
import type { RemoteTool } from "./remote-tools.ts"
import { contentOfResource } from "./resource.ts"
import { outcomeOf } from "./result.ts"
import { cleanSchema } from "./schema.ts"
import type { Server } from "./server.ts"

/** Progress is shown no more often. */
const PROGRESS_MS = 200
const SHOWN_INPUT = 10_000

/** A server's tool as one of the agent's. The gate asks for it like for any other. */
export function toolOf(name: string, remote: RemoteTool, server: Server, clock: Clock): Tool {
  const { config } = server
  const schema = cleanSchema(remote.schema)
  const isResource = remote.method === "resources/read"
  return {
    name,
    kind: "other",
    description: remote.description || `The tool "${remote.name}" of the MCP server "${config.name}".`,
    schema,
    async prepare(given): Promise<Action> {
      const input = objectIn(given, schema, name)
      const isPlain = Object.keys(input).length === 0
      return {
        title: cutEnd(visible(`${config.name}: ${remote.name}`), 200),
        locations: [],
        display: isPlain ? [] : textContent(fenced(cutEnd(JSON.stringify(input, null, 2), SHOWN_INPUT), "json")),
        reach: { type: "server", server: config.name, tool: remote.name, trusted: config.trusted },
        async run({ signal, report }) {
          let words = ""
          const shown = throttle(() => report({ display: textContent(cutEnd(words, 500)) }), PROGRESS_MS, clock)
          const progress = (said: string) => {
            words = said
            shown.poke()
          }
          try {
            const result = await server.call(remote, input, { signal, progress })
            return isResource ? { content: contentOfResource(String(input["uri"]), result) } : outcomeOf(result)
          } finally {
            shown.stop()
          }
        },
      }
    },
  }
}

/** The arguments, put right as our own tools' are. Whether they are good is the server's to say. */
function objectIn(given: unknown, schema: object, name: string): Readonly<Record<string, unknown>> {
  const value = given === "" ? {} : normalise(given, schema)
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new Error(`${name} takes an object of arguments, not ${JSON.stringify(given)?.slice(0, 100)}`)
}
