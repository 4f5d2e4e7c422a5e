/** What a model's server turned out to need, learned from what it refused. */
export interface Quirks {
  /** Parameters it does not take. */
  dropped: readonly string[]
  /** Parameters it knows by another name. */
  renamed: Readonly<Record<string, string>>
  /** Whether thoughts are sent back with calls; "never" once that was refused. */
  reasoning: "hidden" | "echoed" | "never"
  /** What stands for the text of a reply that only calls. */
  noText: null | ""
  /** It takes no pictures, whatever its metadata says. */
  blind: boolean
  /** It wants user and assistant to take turns, tools apart. */
  alternating: boolean
  /** It closes the stream without saying that it has finished. */
  endsSilently: boolean
  /** What it serves, in tokens. */
  window: number | undefined
}

export const NO_QUIRKS: Quirks = {
  dropped: [],
  renamed: {},
  reasoning: "hidden",
  noText: null,
  blind: false,
  alternating: false,
  endsSilently: false,
  window: undefined,
}

/** What can't be left out of a request. */
const NEEDED = new Set(["model", "messages", "stream", "tools"])
const TWINS: Readonly<Record<string, string>> = {
  max_tokens: "max_completion_tokens",
  max_completion_tokens: "max_tokens",
}
const REFUSES =
  /unsupported|not support|unrecognized|unknown|unexpected|not permitted|not allowed|invalid|extra (inputs|fields)|forbidden|not available|does not (take|accept)|additional propert/i

/** What a refusal (400, 422) teaches, if it is something that we can do otherwise; else undefined. */
export function learn(quirks: Quirks, sent: Readonly<Record<string, unknown>>, refusal: string): Quirks | undefined {
  if (/reasoning_content|reasoning content|thinking blocks?\b/i.test(refusal)) {
    if (quirks.reasoning === "hidden") return { ...quirks, reasoning: "echoed" }
    if (quirks.reasoning === "echoed") return { ...quirks, reasoning: "never" }
  }
  if (
    !quirks.alternating &&
    /roles? must alternate|alternate (between )?user|after role ['"]?tool|unexpected role/i.test(refusal)
  ) {
    return { ...quirks, alternating: true }
  }
  if (!quirks.blind && /image|vision|multimodal/i.test(refusal) && REFUSES.test(refusal) && holdsPicture(sent)) {
    return { ...quirks, blind: true }
  }
  const named = Object.keys(sent).find((key) => !NEEDED.has(key) && new RegExp(`\\b${key}\\b`).test(refusal))
  if (named !== undefined) return without(quirks, named)
  const noContent = /content/i.test(refusal) && /null|none|required|missing|string|empty/i.test(refusal)
  if (noContent && quirks.noText === null && sentNoText(sent)) return { ...quirks, noText: "" }
  return undefined
}

/** The parameters of a request as this server takes them. */
export function adapted(
  body: Readonly<Record<string, unknown>>,
  { dropped, renamed }: Quirks,
): Record<string, unknown> {
  const entries = Object.entries(body).map(([key, value]) => [renamed[key] ?? key, value] as const)
  return Object.fromEntries(entries.filter(([key]) => !dropped.includes(key)))
}

/** Swaps a parameter for its twin, or gives it up. */
function without(quirks: Quirks, name: string): Quirks {
  const twin = TWINS[name]
  const triedTwin = Object.values(quirks.renamed).includes(name)
  if (twin && !triedTwin) return { ...quirks, renamed: { ...quirks.renamed, [name]: twin } }
  return { ...quirks, dropped: [...quirks.dropped, name] }
}

function holdsPicture(sent: Readonly<Record<string, unknown>>): boolean {
  return JSON.stringify(sent["messages"]).includes('"type":"image_url"')
}

function sentNoText(sent: Readonly<Record<string, unknown>>): boolean {
  return (sent["messages"] as { role: string; content?: unknown }[]).some(({ content }) => content === null)
}
