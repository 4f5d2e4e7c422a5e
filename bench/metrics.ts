/** The medians of one subject: ours, the do-nothing program's, and the one-line program's. */
export interface Medians {
  ours: Record<string, number>
  floor: Record<string, number>
  hello: Record<string, number>
}

export interface Metric {
  readonly name: string
  readonly title: string
  readonly unit: "ms" | "MB" | "KB" | ""
  readonly goals?: readonly Goal[]
}

export interface Goal {
  /** All if not given. */
  readonly subjects?: readonly string[]
  readonly text: string
  met(medians: Medians): boolean
}

const NODE = ["node"]
const BINARY = ["binary"]

/** All that is measured, in the order in which it is shown, with what we promise. */
export const METRICS: readonly Metric[] = [
  {
    name: "init",
    title: "spawn → initialize answered",
    unit: "ms",
    goals: [
      { subjects: BINARY, text: "≤ 1.6 × hello", met: ({ ours, hello }) => ours["init"]! <= 1.6 * hello["init"]! },
      { subjects: NODE, text: "≤ 2 × hello", met: ({ ours, hello }) => ours["init"]! <= 2 * hello["init"]! },
    ],
  },
  { name: "sessionNew", title: "session/new", unit: "ms" },
  {
    name: "firstToken",
    title: "spawn → first token",
    unit: "ms",
    goals: [below("firstToken", 100, BINARY), below("firstToken", 140, NODE)],
  },
  { name: "requestKb", title: "first request to the model", unit: "KB", goals: [below("requestKb", 16)] },
  { name: "tools", title: "tools in it", unit: "" },
  { name: "warmAsked", title: "warm prompt → request", unit: "ms" },
  { name: "warmFirst", title: "warm prompt → first token", unit: "ms", goals: [beyond("warmFirst", 2)] },
  { name: "warmTurn", title: "warm prompt → answered", unit: "ms" },
  { name: "held", title: "a delta on its way, at reading speed", unit: "ms" },
  { name: "heldMax", title: "the slowest of 100", unit: "ms", goals: [below("heldMax", 20)] },
  { name: "stream5k", title: "5,000 deltas, text intact", unit: "ms", goals: [times("stream5k", 1.7)] },
  { name: "stream5kUpdates", title: "updates for them", unit: "" },
  { name: "stream100k", title: "100,000 deltas, text intact", unit: "ms", goals: [times("stream100k", 1.5)] },
  { name: "stream100kUpdates", title: "updates for them", unit: "" },
  {
    name: "stream100kPeak",
    title: "peak memory with them (RSS)",
    unit: "MB",
    goals: [below("stream100kPeak", 130, BINARY), beyond("stream100kPeak", 30, NODE)],
  },
  { name: "toolRoundTrip", title: "tool round trip (read a file)", unit: "ms", goals: [beyond("toolRoundTrip", 1.5)] },
  { name: "tenCalls", title: "turn of 10 calls, one by one", unit: "ms" },
  { name: "fiftyTurns", title: "50 turns", unit: "ms" },
  { name: "earlyTurns", title: "turns 2 to 11, each", unit: "ms" },
  { name: "lateTurns", title: "turns 41 to 50, each", unit: "ms" },
  { name: "longEarly", title: "prompt → first token, turns 11 to 60 of 500", unit: "ms" },
  { name: "longLate", title: "the same, the last 50", unit: "ms" },
  {
    name: "loadFirst",
    title: "session/load of 10,000 entries → first update",
    unit: "ms",
    goals: [below("loadFirst", 50, BINARY)],
  },
  { name: "loadAgain", title: "the same, in a process at work", unit: "ms", goals: [below("loadAgain", 50)] },
  {
    name: "loadWhole",
    title: "session/load of 10,000 entries → answered",
    unit: "ms",
    goals: [below("loadWhole", 1000)],
  },
  { name: "listCold", title: "session/list of 1,000, by the first request", unit: "ms" },
  { name: "list", title: "the same, later", unit: "ms", goals: [below("list", 20)] },
  { name: "twentySessions", title: "20 sessions opened at once", unit: "ms" },
  { name: "twentyPrompts", title: "20 prompts at once", unit: "ms", goals: [times("twentyPrompts", 1.6)] },
  {
    name: "pssTwenty",
    title: "PSS after them",
    unit: "MB",
    goals: [below("pssTwenty", 95, [...BINARY, ...NODE])],
  },
  { name: "pssInit", title: "PSS after initialize", unit: "MB" },
  { name: "pssSession", title: "PSS after session/new", unit: "MB" },
  {
    name: "pssPrompt",
    title: "PSS after one prompt",
    unit: "MB",
    goals: [
      {
        subjects: BINARY,
        text: "≤ 70 or do-nothing + 25",
        met: ({ ours, floor }) => ours["pssPrompt"]! <= Math.max(70, floor["pssPrompt"]! + 25),
      },
    ],
  },
  { name: "pssStream", title: "PSS after 5,000 deltas", unit: "MB" },
  { name: "processes", title: "processes", unit: "" },
]

function below(name: string, limit: number, subjects?: readonly string[]): Goal {
  return { ...(subjects && { subjects }), text: `≤ ${limit}`, met: ({ ours }) => ours[name]! <= limit }
}

function beyond(name: string, limit: number, subjects?: readonly string[]): Goal {
  const met = ({ ours, floor }: Medians) => ours[name]! - floor[name]! <= limit
  return { ...(subjects && { subjects }), text: `≤ do-nothing + ${limit}`, met }
}

function times(name: string, limit: number): Goal {
  return { text: `≤ ${limit} × do-nothing`, met: ({ ours, floor }) => ours[name]! <= limit * floor[name]! }
}
