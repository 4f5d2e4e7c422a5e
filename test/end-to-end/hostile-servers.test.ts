import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { ROOT } from "../../build/run.ts"
import { hostileHttp } from "./hostile-http.ts"
import { choose, INITIALIZE, type Koda, type Loose, prompt, startKoda, updates } from "./koda.ts"
import { newPlace } from "./place.ts"
import { eventually, familyOf } from "./processes.ts"
import { SUBJECTS } from "./subjects.ts"

const NODE = join(ROOT, "node_modules/node/bin/node")
const PROGRAM = join(import.meta.dirname, "hostile-server.program.ts")
const program = (how: string) => ({ name: "h", command: NODE, args: [PROGRAM, how], env: [] })

/** What koda may need beside what it has at its start. Without bounds each flood takes all there is. */
const MOST_MB = 600
/** Long enough for an answer on a busy machine; what is never answered ends by the shorter one. */
const PATIENT = { mcpTimeoutMs: 20_000 }
const HASTY = { mcpTimeoutMs: 1_000 }

/** What the user sees: of the call, or of the server itself. */
type Kind = readonly [how: string, settings: object, of: "call" | "server", seen: RegExp]
const PROGRAMS: readonly Kind[] = [
  ["hangs", PATIENT, "call", /There is no tool named "mcp__h__work"/],
  ["silent", HASTY, "call", /^h: it has not answered for 1 seconds/],
  ["noise", PATIENT, "server", /^it floods its output with what are no messages$/],
  ["endless", PATIENT, "server", /^it floods its output with what are no messages$/],
  ["pings", PATIENT, "server", /^it does not take what it is sent$/],
  ["errors", PATIENT, "call", /^worked$/],
  ["chatter", PATIENT, "call", /^worked$/],
  ["changes", PATIENT, "call", /^worked$/],
  ["questions", PATIENT, "call", /^worked$/],
  ["pages", PATIENT, "call", /^worked$/],
  ["dies", PATIENT, "server", /^it ended with code 3\. Its last words: no licence was found$/],
  ["dies in a call", PATIENT, "call", /^The server "h" ended during the call: it ended with code 1\. It may have/],
  ["big", PATIENT, "call", /^h: the server's answer has 50 MB, more than koda reads; ask for less$/],
  ["lies", PATIENT, "call", /^\[left out: a part that can't be read\]/],
]

const REMOTE: readonly Kind[] = [
  ["silent", HASTY, "call", /^h: it has not answered for 1 seconds/],
  ["chatter", HASTY, "call", /^h: it has not answered for 1 seconds/],
  ["cut", PATIENT, "call", /^h: could not fetch from 127\.0\.0\.1/],
  ["cut event", PATIENT, "call", /^h: its answer broke off\. The call may have taken effect$/],
  ["big", PATIENT, "call", /^h: the server's answer has \d+ MB, more than koda reads; ask for less$/],
  ["big event", PATIENT, "call", /^h: its answer broke off: the server's answer has \d+ MB, more than koda reads/],
  ["endless", PATIENT, "call", /^h: its answer broke off: the server's answer has \d+ MB, more than koda reads/],
  ["pings", PATIENT, "call", /^The server "h" ended during the call: it does not take what it is sent\. It may have/],
  ["bomb", PATIENT, "call", /^h: the server's answer has \d+ MB, more than koda reads; ask for less$/],
  ["nonsense", PATIENT, "call", /^h: it has answered with what is no message$/],
  ["reconnects", PATIENT, "call", /^worked$/],
]

/** Forms are shown, and how servers stand is told. */
const CAPABILITIES = { subagents: true, elicitation: { form: {} } }

describe.each(SUBJECTS)("koda on $name", { timeout: 240_000 }, (subject) => {
  test.each([
    ["programs", PROGRAMS, program],
    ["servers elsewhere", REMOTE, async (how: string) => ({ type: "http", name: "h", url: await hostileHttp(how) })],
  ] as const)(
    "MC-02 MC-07 MC-08 hostile %s: prompts are answered, memory is bounded, the user sees why",
    async (...[, kinds, entry]) => {
      const place = await newPlace()
      const koda = startKoda(subject, place)
      koda.replies["session/request_permission"] = choose("allow_once")
      await koda.request("initialize", { ...INITIALIZE, clientCapabilities: CAPABILITIES })
      const before = await peakOf(koda)
      const odd: unknown[] = []
      for (const [how, settings, of, expected] of kinds) {
        await writeFile(join(place.kodaHome, "settings.json"), JSON.stringify({ localModels: false, ...settings }))
        const seen = await seenOf(koda, place.workspace, await entry(how), of)
        if (!expected.test(seen)) odd.push([how, seen])
      }
      expect(odd).toEqual([])
      expect((await peakOf(koda)) - before).toBeLessThan(MOST_MB)
      const questions = koda.frames.filter(({ method }) => method === "elicitation/create")
      expect(questions.length, "one at a time, of those that ask a thousand").toBeLessThan(2)
      const left = async () => (await familyOf(koda.pid)).filter(({ command }) => command.includes(PROGRAM))
      await eventually(
        async () => (await left()).length === 0,
        async () => JSON.stringify(await left()),
      )
      expect(await koda.hangUp()).toBe(0)
    },
  )
})

/** What is seen of a session's hostile server: of its call, or of itself. A good one beside it works. */
async function seenOf(koda: Koda, cwd: string, entry: object, of: Kind[2]): Promise<string> {
  const isDown = of === "server"
  const good = { ...program("good"), name: "good" }
  const { sessionId } = (await koda.request("session/new", { cwd, mcpServers: [entry, good] })).result
  const news = (isIt: (update: Loose) => boolean) =>
    koda.until(({ params }) => params?.sessionId === sessionId && params.update && isIt(params.update))
  const stands = ({ servers = [] }: Loose, server: string) => servers.find(({ name }: Loose) => name === server)
  await news((update) => stands(update, "good")?.status === "connected")
  if (!isDown)
    await news((update) => update.discoveryState === "completed" || stands(update, "h")?.status === "connecting")
  await prompt(koda, sessionId, "!mcp__h__work {}")
  await prompt(koda, sessionId, "!mcp__good__work {}")
  const [ofIt, ofGood] = updates(koda, sessionId).flatMap(({ status, content }) =>
    status === "completed" || status === "failed" ? [content[0].content.text as string] : [],
  )
  expect(ofGood).toBe("worked")
  const down = isDown ? await news((update) => stands(update, "h")?.status === "disconnected") : undefined
  const error = down && stands(down.params.update, "h").error
  if (down) {
    await prompt(koda, sessionId, "!mcp__good__work {}") // the user is told with the next turn
    await news(({ content }) => content?.text?.includes(`The MCP server "h" is not there: ${error}`))
  }
  await koda.request("session/close", { sessionId })
  return error ?? ofIt ?? "nothing"
}

/** The most memory that it ever had, in MB. */
async function peakOf({ pid }: Koda): Promise<number> {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))!
  return Number(kilobytes) / 1024
}
