import type { Client } from "@modelcontextprotocol/sdk/client"
import { abortable } from "../agent/abortable.ts"
import { fileUri } from "../text/file-uri.ts"
import { visibleLines } from "../text/visible.ts"

/** Of a server's questions that many may wait while the user answers one; the others are declined. */
const MOST_QUESTIONS = 10

/** What servers may ask of us. */
export interface Answers {
  /** The folders of the session. */
  roots(): readonly string[]
  /** Puts a server's question to the user; undefined if nobody can be asked. */
  elicit(params: object, signal: AbortSignal): Promise<ElicitReply | undefined>
  /** What the user did at the address of a question is done. */
  completed(elicitationId: string): void
  /** A server has other tools or prompts than before. */
  changed(): void
}

/** How the user answered. */
export interface ElicitReply {
  readonly action: "accept" | "decline" | "cancel"
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>
}

/** Answers what a server asks: its pings by the SDK, roots and questions here, and everything else with a polite no. */
export async function answerRequests(client: Client, server: string, answers: Answers): Promise<void> {
  const types = await import("./sdk.ts")
  client.setRequestHandler(types.ListRootsRequestSchema, () => ({
    roots: answers.roots().map((path) => ({ uri: fileUri(path), name: path.split(/[\\/]/).at(-1) || path })),
  }))
  const oneAfterAnother = line(MOST_QUESTIONS)
  client.setRequestHandler(types.ElicitRequestSchema, async ({ params }, { signal }) => {
    const message = visibleLines(`${server}: ${params.message}`) // the user sees who asks
    const reply = await oneAfterAnother(() => answers.elicit({ ...params, message }, signal), signal)
    if (!reply) return { action: "decline" }
    if (params.mode === "url") return { action: reply.action }
    return { action: reply.action, ...(reply.action === "accept" && { content: { ...reply.content } }) }
  })
  client.setNotificationHandler(types.ToolListChangedNotificationSchema, () => answers.changed())
  client.setNotificationHandler(types.PromptListChangedNotificationSchema, () => answers.changed())
  client.setNotificationHandler(types.ElicitationCompleteNotificationSchema, ({ params }) =>
    answers.completed(params.elicitationId),
  )
  client.fallbackRequestHandler = async ({ method }) => {
    const why = method.startsWith("sampling/")
      ? "koda does not lend its model to servers"
      : `koda has no method "${method}"`
    throw Object.assign(new Error(why), { code: types.ErrorCode.MethodNotFound })
  }
}

/** Runs one at a time; undefined for whoever would stand too far behind. */
function line(most: number) {
  let last: Promise<unknown> = Promise.resolve()
  let length = 0
  return async <T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
    if (length > most) return undefined
    length++
    const mine = abortable(last, signal).then(ask)
    last = mine.catch(() => {})
    return await mine.finally(() => length--)
  }
}
