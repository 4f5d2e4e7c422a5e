import type { Clock } from "../clock.ts"

/** Without any activity for so long, a subagent has stalled; after so much longer it is given up. */
export const STALLS_AFTER_MS = 120_000
export const GIVEN_UP_AFTER_MS = 300_000

export interface Quiet {
  /** Something came. */
  heard(): void
  /** A tool runs, or a question is open: as long as it lasts it is activity. */
  busy(): void
  free(): void
  /** Counts anew. False if it has not stalled. */
  extend(): boolean
  stop(): void
}

/** Watches a subagent for its going quiet. */
export function watchQuiet(clock: Clock, tell: { stalled(): void; resumed(): void; givenUp(): void }): Quiet {
  let last = clock.now()
  let works = 0
  let isStalled = false
  let forget = clock.after(STALLS_AFTER_MS, look)

  function look(): void {
    if (isStalled) {
      tell.givenUp()
      return
    }
    const silence = works > 0 ? 0 : clock.now() - last
    isStalled = silence >= STALLS_AFTER_MS
    forget = clock.after(isStalled ? GIVEN_UP_AFTER_MS : STALLS_AFTER_MS - silence, look)
    if (isStalled) tell.stalled()
  }

  function extend(): boolean {
    last = clock.now()
    if (!isStalled) return false
    isStalled = false
    forget()
    forget = clock.after(STALLS_AFTER_MS, look)
    tell.resumed()
    return true
  }

  return {
    heard: () => void extend(),
    busy() {
      works++
      extend()
    },
    free() {
      works--
      extend()
    },
    extend,
    stop: () => forget(),
  }
}
