import { onTestFinished } from "vitest"
import { main } from "../../src/cli/main.ts"
import { isolated } from "./client.ts"
import { folderOf, type Tree } from "./folder.ts"
import { type Provider, startProvider } from "./provider.ts"

export interface CommandLineOptions {
  readonly files?: Tree
  readonly settings?: object
  readonly env?: Readonly<Record<string, string>>
  /** What comes through the pipe; without it, a person sits there and says nothing. */
  readonly input?: string
}

/** What a run of the program has left behind. */
export interface Run {
  code: number
  out: string
  /** Lines. */
  err: string[]
}

export interface CommandLine {
  readonly provider: Provider
  readonly cwd: string
  readonly home: string
  /** Runs the program to its end. */
  run(...args: string[]): Promise<Run>
  /** The same, with these messages on its input, which ends when the requests among them have been answered. */
  talk(messages: readonly object[], ...args: string[]): Promise<Run>
  /** Asks it to stop, as Ctrl-C does. */
  stop(): void
  /** What it has printed by now. */
  printed(): string
}

/** The program, in a place of its own, with a provider that says what the test tells it to. */
export async function commandLine(options: CommandLineOptions = {}): Promise<CommandLine> {
  const provider = await startProvider()
  onTestFinished(() => provider.close())
  const cwd = await folderOf(options.files ?? {})
  const home = await folderOf({ "settings.json": JSON.stringify({ localModels: false, ...options.settings }) })
  const env = { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: "sk-0123456789", OPENAI_MODEL: "m", ...options.env }
  const runtime = await isolated(cwd, home, env)
  const { input } = options
  let stop = () => {}
  let out = ""

  function start(input: ReadableStream<Uint8Array>, isTerminal: boolean, args: readonly string[]): Promise<Run> {
    const err: string[] = []
    const decoder = new TextDecoder()
    out = ""
    return new Promise((resolve) => {
      void main({
        ...runtime,
        stdio: {
          input,
          output: new WritableStream({ write: (bytes) => void (out += decoder.decode(bytes, { stream: true })) }),
          log: (line) => void err.push(line),
          isTerminal,
        },
        system: {
          ...runtime.system,
          args,
          exit(code) {
            resolve({ code, out, err })
            return new Promise(() => {}) // a process that has ended goes on with nothing
          },
          onStop: (callback) => void (stop = callback),
        },
      })
    })
  }

  async function talk(messages: readonly object[], ...args: string[]): Promise<Run> {
    const pipe = new TransformStream<Uint8Array, Uint8Array>()
    const ended = start(pipe.readable, false, args)
    const writer = pipe.writable.getWriter()
    const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
    await writer.write(new TextEncoder().encode(lines.join("")))
    const ids = messages.flatMap((message) => ("id" in message ? [JSON.stringify(message.id)] : []))
    while (!ids.every((id) => out.includes(`"id":${id},`))) await new Promise((resolve) => setTimeout(resolve, 1))
    await writer.close()
    return await ended
  }

  return {
    provider,
    cwd,
    home,
    run: (...args) => start(streamOf(input ?? ""), input === undefined, args),
    talk,
    stop: () => stop(),
    printed: () => out,
  }
}

function streamOf(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (text !== "") controller.enqueue(new TextEncoder().encode(text))
      controller.close()
    },
  })
}
