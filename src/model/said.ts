import type { ModelEvent } from "../agent/model.ts"

/** What a part of a reply's content turns out to be. */
export type Said = Extract<ModelEvent, { type: "text" | "reasoning" | "restart" }>

/** Adds to what was said, making one event of deltas that have come together. */
export function say(events: ModelEvent[], said: Said): void {
  const last = events.at(-1)
  if (said.type === "restart") events.push(said)
  else if (said.type === "text" && last?.type === "text") last.delta += said.delta
  else if (said.type === "reasoning" && last?.type === "reasoning" && last.field === said.field)
    last.delta += said.delta
  else events.push({ ...said })
}
