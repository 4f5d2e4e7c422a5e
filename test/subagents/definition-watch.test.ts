import { mkdir, rename, rm, writeFile } from "node:fs/promises"
import { expect, onTestFinished, test } from "vitest"
import type { Clock } from "../../src/clock.ts"
import type { Files } from "../../src/runtime.ts"
import type { Definitions } from "../../src/subagents/definitions.ts"
import { createRole } from "../../src/subagents/role-changes.ts"
import { never } from "../support/scripted.ts"
import { placeOf, role, shown } from "./definition-place.ts"

/** What listeners are told, as the list is then. */
function follow(definitions: Definitions): { told: string[][]; next(): Promise<string[]> } {
  const told: string[][] = []
  let read = 0
  let stir = Promise.withResolvers<void>()
  onTestFinished(
    definitions.onChange(() => {
      told.push(shown(definitions.current))
      stir.resolve()
      stir = Promise.withResolvers()
    }),
  )
  return {
    told,
    async next() {
      while (told.length === read) await stir.promise
      return told[read++] as string[]
    },
  }
}

test("R-254 R-255 R-256 R-258 folders that appear, files that are saved, replaced and deleted are seen", async () => {
  const { definitions, path } = await placeOf({})
  const { next } = follow(definitions)
  await definitions.refresh()

  await mkdir(path("ws/.koda/agents"), { recursive: true })
  await writeFile(path("ws/.koda/agents/a.md"), role("a"))
  expect(await next()).toEqual(["a (workspace)"])

  await writeFile(path("ws/.koda/agents/a.md.new"), role("a", { header: "color: red" }))
  await rename(path("ws/.koda/agents/a.md.new"), path("ws/.koda/agents/a.md"))
  expect(await next()).toEqual([expect.stringMatching(/^error: a \(workspace\): 4: there is no field "color"/)])

  await rm(path("ws/.koda"), { recursive: true })
  expect(await next()).toEqual([])

  await mkdir(path("home/agents"))
  await writeFile(path("home/agents/b.md"), role("b"))
  expect(await next()).toEqual(["b (global)"])
})

test("R-353 profiles are watched as roles are, and those of a plug-in from when the settings name it", async () => {
  const { definitions, path } = await placeOf({ "plugin/agents/x.md": "do" })
  const { next } = follow(definitions)
  await definitions.refresh()

  await mkdir(path("ws/.kodik/agents"), { recursive: true })
  await writeFile(path("ws/.kodik/agents/p.md"), "do")
  expect(await next()).toEqual(["project:p (project)"])

  await writeFile(path("home/settings.json"), JSON.stringify({ plugins: [path("plugin")] }))
  expect(await next()).toEqual(["project:p (project)", "plugin:x (plugin)"])

  await writeFile(path("plugin/agents/y.md"), "do")
  expect(await next()).toEqual(["project:p (project)", "plugin:x (plugin)", "plugin:y (plugin)"])
})

test("R-229 roles that the settings switch off are told of, and their files stay as they are", async () => {
  const { definitions } = await placeOf({ "home/agents/a.md": role("a") })
  const { next } = follow(definitions)
  await definitions.refresh()
  await definitions.settings.set({ disabledAgentNames: ["a"] })
  expect(await next()).toEqual(["a (global, off)"])
  await definitions.settings.set({ disabledAgentNames: [] })
  expect(await next()).toEqual(["a (global)"])
})

/** A watch that stirs when the test says so, and a clock that it holds. */
function inHand(): { files(real: Files): Files; stir(): void; clock: Clock; waits: { ms: number; end(): void }[] } {
  const waits: { ms: number; end(): void }[] = []
  let stirred = 0
  let wake = () => {}
  return {
    waits,
    clock: {
      now: () => 0,
      after(ms, call) {
        waits.push({ ms, end: call })
        return () => {}
      },
    },
    stir() {
      stirred++
      wake()
    },
    files: (real) => ({
      ...real,
      async *watch(folders, signal) {
        if (folders.length === 1) return // the settings'
        signal.addEventListener("abort", () => wake(), { once: true })
        for (let seen = 0; !signal.aborted; ) {
          if (seen === stirred) await new Promise<void>((resolve) => (wake = resolve))
          if (seen === stirred) continue
          seen = stirred
          yield [`${folders[0]}/any.md`]
        }
      },
    }),
  }
}

async function settled(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 1))
}

test("R-259 what changes within 200 ms is told of once", async () => {
  const { files, stir, clock, waits } = inHand()
  const { definitions, path } = await placeOf({ "home/agents/a.md": role("a") }, { files, clock })
  const { told, next } = follow(definitions)
  await definitions.refresh()

  stir()
  await settled(() => waits.length === 1)
  for (const name of ["b", "c", "d"]) {
    await writeFile(path(`home/agents/${name}.md`), role(name))
    stir()
  }
  expect([waits[0]?.ms, told]).toEqual([200, []])
  waits[0]?.end()
  expect(await next()).toEqual(["a (global)", "b (global)", "c (global)", "d (global)"])
  await settled(() => waits.length === 2)
  waits[1]?.end()
  await definitions.refresh()
  expect(told.length).toBe(1)
})

test("R-260 what is read anew and is as it was is not told; instructions that no list shows are", async () => {
  const { definitions, path } = await placeOf({ "home/agents/a.md": role("a") })
  const { told } = follow(definitions)
  await definitions.refresh()
  await writeFile(path("home/agents/a.md"), role("a"))
  await definitions.refresh()
  expect(told).toEqual([])
  await writeFile(path("home/agents/a.md"), role("a", { body: "Another." }))
  await definitions.refresh()
  expect(told).toEqual([["a (global)"]])
})

test("R-261 one's own change has been told of when it is done, and is not told again by the watch", async () => {
  const { files, stir, clock, waits } = inHand()
  const { definitions } = await placeOf({}, { files, clock })
  const { told } = follow(definitions)
  await definitions.refresh()
  await createRole(definitions, { name: "a", scope: "global" }, never)
  expect(told).toEqual([["a (global)"]])
  stir()
  await settled(() => waits.length === 1)
  waits[0]?.end()
  await definitions.refresh()
  expect(told.length).toBe(1)
})

test("R-254 nothing is watched before anybody listens, nor when nobody does any more", async () => {
  const watched: { folders: readonly string[]; signal: AbortSignal }[] = []
  const { definitions, path } = await placeOf(
    {},
    {
      files: (real) => ({
        ...real,
        watch(folders, signal) {
          watched.push({ folders, signal })
          return real.watch(folders, signal)
        },
      }),
    },
  )
  await definitions.refresh()
  expect(watched).toEqual([])
  const stop = definitions.onChange(() => {})
  await definitions.refresh()
  expect(watched.flatMap(({ folders }) => folders)).toEqual(
    expect.arrayContaining(["ws/.koda/agents", "home/agents", "ws/.kodik/agents", "user/.kodik/Agents"].map(path)),
  )
  stop()
  expect(watched.every(({ signal }) => signal.aborted)).toBe(true)
})
