import type { Runtime } from "../../src/runtime.ts"

/** Where a part of the contract puts its tests, and what it needs for them. */
export interface Suite {
  readonly runtime: Runtime
  /** Starts contract.program.ts on the same platform; a scenario's name follows. */
  readonly program: readonly [string, ...string[]]
  /** Each test gets an empty folder, which is removed after it. */
  test(title: string, body: (folder: string) => Promise<void>): void
}

export const never: AbortSignal = new AbortController().signal

export const soon = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits until it holds; the bound is there for what never comes. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, ms = 15_000): Promise<void> {
  const deadline = Date.now() + ms
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`)
    await soon(20)
  }
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
