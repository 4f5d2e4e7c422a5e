import { type ModelEvent, ModelFailure } from "../agent/model.ts"
import { type Clock, sleep } from "../clock.ts"
import { causesOf } from "./failure.ts"

/** What decides when the next try is. */
export interface Pace {
  clock: Clock
  /** From 0 to 1: spreads out those who wait. */
  random(): number
}

/** All tries of one request, the first included. */
const TRIES = 5
/** For what rarely mends itself within seconds. */
const FEW_TRIES = 3
/** The longest wait, in milliseconds, that a user should sit through without being asked. */
const LONGEST_WAIT = 60_000

/** What an attempt knows of those before it. */
export interface Attempt {
  /** An earlier one broke off after it had said something: what this one says is kept, whole or not. */
  keep: boolean
}

/**
 * Tries until a reply is whole. Every wait is told as a notice; a new beginning after something was said, as a
 * restart. What waiting can't mend is thrown at once.
 */
export async function* retried(
  attempt: (attempt: Attempt) => AsyncIterable<ModelEvent>,
  { clock, random }: Pace,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  let said = false
  const past = { tries: 0, torn: 0, empty: 0 }
  for (;;) {
    try {
      for await (const event of attempt({ keep: past.torn > 0 })) {
        if (event.type === "text" || event.type === "reasoning") said = true
        yield event
      }
      return
    } catch (error) {
      if (signal.aborted || !(error instanceof ModelFailure)) throw error
      past.tries++
      if (error.kind === "empty") past.empty++
      else if (said) past.torn++
      if (!isWorthTrying(error, past)) throw error
      if (said) yield { type: "restart" }
      said = false
      if (error.kind === "empty") continue // nobody has seen anything: nothing to tell

      const wait = waitFor(error, past.tries, random)
      if (wait > LONGEST_WAIT) throw untilReset(error, clock.now() + wait)
      yield { type: "notice", text: noticeOf(error, wait) }
      await sleep(wait, clock, signal)
    }
  }
}

function isWorthTrying(failure: ModelFailure, past: { tries: number; torn: number; empty: number }): boolean {
  switch (failure.kind) {
    case "empty":
      return past.empty < 2
    case "rate_limit":
    case "server":
      return past.torn < 2 && past.tries < TRIES
    case "network":
      return past.torn < 2 && past.tries < patience(failure)
    case "auth":
    case "too_long":
    case "quota":
    case "model":
    case "request":
      return false
  }
}

/** How often a connection is worth trying. A certificate stays what it is; a long silence would cost as long again. */
function patience(failure: ModelFailure): number {
  const { codes, words } = causesOf(failure.cause)
  const all = [...codes, ...words].join(" ")
  if (/IDLE_LIMIT|CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UnknownIssuer|certificate|Invalid URL|ERR_INVALID/i.test(all))
    return 1
  if (/ECONNREFUSED|ConnectionRefused|Connection refused|ENOTFOUND|Unable to connect/i.test(all)) return FEW_TRIES
  return TRIES
}

/** As long as we were told; else longer each time. A little more or less, so that not all come back at once. */
function waitFor({ retryAfter, kind }: ModelFailure, tries: number, random: () => number): number {
  if (retryAfter !== undefined) return Math.round(retryAfter * (1 + random() / 10))
  const first = kind === "rate_limit" ? 2000 : 500
  return Math.round(Math.min(first * 2 ** (tries - 1), 30_000) * (0.75 + random() / 2))
}

function noticeOf(failure: ModelFailure, wait: number): string {
  return `${failure.message}. Trying again in ${wait < 1000 ? "a moment" : `${Math.ceil(wait / 1000)} s`}.`
}

function untilReset(failure: ModelFailure, until: number): ModelFailure {
  const moment = new Date(until).toISOString().slice(0, 16).replace("T", " ")
  const { kind, retryAfter, status, cause } = failure
  return new ModelFailure(kind, `${failure.message}. Try again after ${moment} UTC`, {
    ...(retryAfter !== undefined && { retryAfter }),
    ...(status !== undefined && { status }),
    cause,
  })
}
