import { Console } from "node:console"
import type { Runtime } from "../../src/runtime.ts"
import { bytesOf, never, soon } from "./suite.ts"

type Scenario = (runtime: Runtime) => Promise<void>

/** What contract.program.ts does when a test has to watch a whole process from outside. */
export const SCENARIOS: Record<string, Scenario> = {
  echo: async ({ stdio, system }) => {
    await stdio.input.pipeTo(stdio.output)
    await system.exit(0)
  },

  noise: async ({ stdio, processes, system }) => {
    const writer = stdio.output.getWriter()
    const both = () => {
      for (const method of ["log", "info", "debug", "warn", "error", "dirxml", "trace"] as const)
        console[method](method)
      console.dir({ dir: true })
      console.table([{ table: 1 }])
      console.group("group")
      console.groupEnd()
      console.count("count")
      console.time("time")
      console.timeEnd("time")
      console.assert(false, "assert")
      new Console(process.stdout).log("a console of its own")
      process.stdout.write("process.stdout\n")
      process.emitWarning("a warning")
    }
    both()
    const child = processes.spawn(["sh", "-c", `echo child; echo child >&2; ${process.env["MORE"] ?? ""}`], {
      cwd: system.cwd,
      env: system.env(),
      signal: never,
    })
    await Promise.all([child.exited, new Response(child.output.pipeThrough(bytesOnly())).text()])
    await writer.write(bytesOf("frame\n"))
    await soon(50) // warnings are printed a little later
    await system.exit(0)
  },

  chatty: async ({ stdio, system }) => {
    const writer = stdio.output.getWriter()
    for (let i = 0; i < 50_000; i++) stdio.log(`line ${i} ${"x".repeat(100)}`)
    for (let i = 0; i < 1000; i++) console.error("x".repeat(1000))
    await writer.write(bytesOf("done\n"))
    await system.exit(0)
  },

  "left alone": async ({ stdio, system }) => {
    await stdio.input.getReader().read()
    const writer = stdio.output.getWriter()
    const failure = await writeForEver(writer).catch((error) => error)
    stdio.log(`rejected: ${failure instanceof Error}`)
    await soon(50) // an exception that nobody caught would come now
    await system.exit(0)
  },

  "reads when told": async ({ stdio, system }) => {
    system.onStop(async () => {
      let bytes = 0
      for await (const chunk of stdio.input) bytes += chunk.byteLength
      await stdio.output.getWriter().write(bytesOf(`${bytes}`))
      await system.exit(0)
    })
    const held = setInterval(() => {}, 1000)
    held.ref()
    stdio.log("ready")
    void stdio.input
  },

  "last words": async ({ stdio, system }) => {
    const writer = stdio.output.getWriter()
    for (let i = 0; i < 16; i++) writer.write(new Uint8Array(65_536)).catch(() => {})
    stdio.log("to the log")
    await system.exit(7)
  },

  stops: async ({ stdio, system }) => {
    setInterval(() => {}, 1000)
    system.onStop(() => stdio.log("asked to stop"))
    stdio.log("ready")
  },

  facts: async ({ stdio, system }) => {
    const { args, cwd, pid } = system
    const facts = { args, cwd, isSelf: pid === process.pid, given: system.env()["GIVEN"], isTerminal: stdio.isTerminal }
    await stdio.output.getWriter().write(bytesOf(JSON.stringify(facts)))
    await system.exit(0)
  },

  fetches: async ({ fetch, stdio, system }) => {
    const writer = stdio.output.getWriter()
    for (const check of [undefined, () => {}]) {
      const text = await fetch(process.env["URL"]!, { signal: never, ...(check && { check }) }).then(
        (response) => response.text(),
        (error) => error.message,
      )
      await writer.write(bytesOf(`${text}\n`))
    }
    await system.exit(0)
  },

  sqlite: async ({ openDatabase, stdio, system }) => {
    const db = await openDatabase(":memory:")
    await stdio.output.getWriter().write(bytesOf(JSON.stringify(db.all("SELECT 1 AS one"))))
    await system.exit(0)
  },

  "starts what stays": async ({ stdio, processes, system }) => {
    const child = processes.spawn(["sh", "-c", process.env["COMMAND"]!], { cwd: "/", env: system.env(), signal: never })
    await child.output.pipeThrough(bytesOnly()).pipeTo(stdio.output)
  },
}

function bytesOnly(): TransformStream<{ bytes: Uint8Array }, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    transform: ({ bytes }, controller) => controller.enqueue(bytes as Uint8Array<ArrayBuffer>),
  })
}

async function writeForEver(writer: WritableStreamDefaultWriter<Uint8Array>): Promise<never> {
  for (;;) await writer.write(bytesOf("is anybody there?\n"))
}
