import { chunk, DONE, type Script } from "./provider.ts"

/** A call that the scripted model makes. */
export interface ScriptedCall {
  id?: string
  name: string
  input: object | string
}

/** A reply of the provider's that calls tools. Arguments that are a string go as they are. */
export function calls(...calls: ScriptedCall[]): Script {
  const tool_calls = calls.map(({ id, name, input }, index) => ({
    index,
    id: id ?? `call-${index + 1}`,
    type: "function",
    function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
  }))
  return {
    steps: [chunk({ role: "assistant", tool_calls }), chunk({}, { finish: "tool_calls" }), DONE],
  }
}

/** A reply that says its first words, and goes on when the test lets it. */
export function pausing(first: string, event: Promise<unknown>, then = "done"): Script {
  return {
    steps: [
      chunk({ role: "assistant", content: first }),
      event,
      chunk({ content: then }),
      chunk({}, { finish: "stop" }),
      DONE,
    ],
  }
}

/** A reply with what it cost. */
export function costs(text: string, usage: object): Script {
  return {
    steps: [chunk({ role: "assistant", content: text }), chunk({}, { finish: "stop" }), chunk({}, { usage }), DONE],
  }
}

/** One text of a prompt. */
export function says(text: string): { type: "text"; text: string }[] {
  return [{ type: "text", text }]
}
