import * as v from "valibot"

/**
 * MCP servers as clients send them. Any shape is read, an object of servers by their names too: what can't be used is
 * told where they are started, and costs nobody the session.
 */
export const SERVERS = v.pipe(
  v.nullish(v.unknown(), []),
  v.transform((given): readonly unknown[] => {
    if (Array.isArray(given)) return given
    if (typeof given !== "object" || given === null) return [given]
    return Object.entries(given).map(([name, server]) =>
      typeof server === "object" && server !== null ? { name, ...server } : { name, command: server },
    )
  }),
)
export type Servers = v.InferOutput<typeof SERVERS>
