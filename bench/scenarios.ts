import { setTimeout as sleep } from "node:timers/promises"
import { clockMs } from "./clock.ts"
import { median } from "./median.ts"
import { peakMb, processes, pssMb } from "./memory.ts"
import { list, load } from "./sessions.ts"
import { initialize, newSession, prompt, ready, type Stage, type Values } from "./stage.ts"
import { words } from "./words.ts"

/** Each starts a process of its own, does one thing with it and says what that took. */
export const SCENARIOS: Record<string, (stage: Stage) => Promise<Values>> = {
  startup,
  warm,
  stream5k: (stage) => stream(stage, "stream5k", 5_000),
  stream100k: (stage) => stream(stage, "stream100k", 100_000),
  paced,
  tool,
  turns,
  memory,
  concurrent,
  long,
  load,
  list,
}

/** What only we can do: the agent that does next to nothing keeps no sessions. */
export const OURS: ReadonlySet<string> = new Set(["long", "load", "list"])

/** Memory is read once the dust has settled. */
const SETTLE_MS = 300

/** As an editor does: each request as soon as the answer to the one before it is there. */
async function startup({ start, folder, model }: Stage): Promise<Values> {
  const agent = start()
  const values = await initialize(agent)
  const askedMs = clockMs()
  const { sessionId, atMs } = await newSession(agent, folder)
  const { firstMs } = await prompt(agent, sessionId, "bench: say")
  const { requests } = await model.seen()
  return {
    ...values,
    sessionNew: atMs - askedMs,
    firstToken: firstMs - agent.spawnedMs,
    requestKb: (requests[0]?.bytes ?? Number.NaN) / 1024,
    tools: requests[0]?.tools ?? Number.NaN,
  }
}

/** Prompts after the first one in a session. */
async function warm({ start, folder, model }: Stage): Promise<Values> {
  const agent = start()
  const sessionId = await ready(agent, folder)
  await prompt(agent, sessionId, "bench: say")
  await model.seen()
  const turns: { first: number; whole: number; asked: number }[] = []
  for (let i = 0; i < 7; i++) {
    await sleep(20) // a user is not that fast
    const { sentMs, firstMs, endMs } = await prompt(agent, sessionId, "bench: say")
    const { requests } = await model.seen()
    turns.push({
      first: firstMs - sentMs,
      whole: endMs - sentMs,
      asked: (requests[0]?.arrivedMs ?? Number.NaN) - sentMs,
    })
  }
  return {
    warmAsked: median(turns.map(({ asked }) => asked)),
    warmFirst: median(turns.map(({ first }) => first)),
    warmTurn: median(turns.map(({ whole }) => whole)),
  }
}

async function stream({ start, folder }: Stage, name: string, count: number): Promise<Values> {
  const agent = start()
  const sessionId = await ready(agent, folder)
  await prompt(agent, sessionId, "bench: say")
  const { sentMs, endMs, texts } = await prompt(agent, sessionId, `bench: stream ${count}`)
  if (texts.join("") !== words(count)) throw new Error(`the text of ${count} deltas did not come as it was sent`)
  return { [name]: endMs - sentMs, [`${name}Peak`]: peakMb(agent.pid), [`${name}Updates`]: texts.length }
}

/** A model at reading speed: how long does a delta take from the model's socket to the client? */
async function paced({ start, folder, model }: Stage): Promise<Values> {
  const agent = start()
  const sessionId = await ready(agent, folder)
  await prompt(agent, sessionId, "bench: say")
  await model.seen()
  const { arrivals } = await prompt(agent, sessionId, "bench: paced 100 5")
  const { pacedMs } = await model.seen()
  const held: number[] = []
  for (const { atMs, text } of arrivals) {
    for (const _ of text.matchAll(/w\d+ /g)) held.push(atMs - pacedMs[held.length]!)
  }
  if (held.length !== 100) throw new Error(`${held.length} of 100 paced deltas came`)
  return { heldMax: Math.max(...held), held: median(held) }
}

/** From the last byte of a reply that calls a tool to the next request, which has the result. */
async function tool({ start, folder, file, model }: Stage): Promise<Values> {
  const agent = start()
  const sessionId = await ready(agent, folder)
  await prompt(agent, sessionId, `bench: read 1 ${file}`)
  const roundTrips: number[] = []
  for (let i = 0; i < 7; i++) {
    await model.seen()
    await prompt(agent, sessionId, `bench: read 1 ${file}`)
    const { requests } = await model.seen()
    roundTrips.push((requests[1]?.arrivedMs ?? Number.NaN) - (requests[0]?.answeredMs ?? Number.NaN))
  }
  const { sentMs, endMs } = await prompt(agent, sessionId, `bench: read 10 ${file}`)
  const { requests } = await model.seen()
  if (requests.length !== 11) throw new Error(`a turn of 10 calls made ${requests.length} requests`)
  return { toolRoundTrip: median(roundTrips), tenCalls: endMs - sentMs }
}

async function turns({ start, folder }: Stage): Promise<Values> {
  const agent = start()
  const sessionId = await ready(agent, folder)
  const took: number[] = []
  for (let i = 0; i < 50; i++) {
    const { sentMs, endMs } = await prompt(agent, sessionId, "bench: say")
    took.push(endMs - sentMs)
  }
  const total = took.reduce((sum, one) => sum + one, 0)
  return { fiftyTurns: total, earlyTurns: median(took.slice(1, 11)), lateTurns: median(took.slice(40)) }
}

/** A long session, kept as it goes: a turn must not cost more because much was said before it. */
async function long({ start, folder, store }: Stage): Promise<Values> {
  const agent = start({ KODA_ACP_SESSION_STORE_DIR: store })
  const sessionId = await ready(agent, folder)
  const took: number[] = []
  for (let i = 0; i < 500; i++) {
    const { sentMs, firstMs } = await prompt(agent, sessionId, "bench: say")
    took.push(firstMs - sentMs)
  }
  return { longEarly: median(took.slice(10, 60)), longLate: median(took.slice(450)) }
}

async function memory({ start, folder }: Stage): Promise<Values> {
  const agent = start()
  const pss = async () => {
    await sleep(SETTLE_MS)
    return pssMb(agent.pid)
  }
  await initialize(agent)
  const pssInit = await pss()
  const { sessionId } = await newSession(agent, folder)
  const pssSession = await pss()
  await prompt(agent, sessionId, "bench: say")
  const pssPrompt = await pss()
  await prompt(agent, sessionId, "bench: stream 5000")
  return { pssInit, pssSession, pssPrompt, pssStream: await pss(), processes: processes(agent.pid) }
}

async function concurrent({ start, folder }: Stage): Promise<Values> {
  const agent = start()
  await initialize(agent)
  const beginMs = clockMs()
  const sessions = await Promise.all(Array.from({ length: 20 }, () => newSession(agent, folder)))
  const openMs = clockMs()
  const prompts = sessions.map(({ sessionId }) =>
    agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "bench: say" }] }),
  )
  await Promise.all(prompts)
  const endMs = clockMs()
  await sleep(SETTLE_MS)
  return { twentySessions: openMs - beginMs, twentyPrompts: endMs - openMs, pssTwenty: pssMb(agent.pid) }
}
