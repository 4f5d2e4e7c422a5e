import type { Transport } from "@modelcontextprotocol/sdk/shared/transport"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types"
import { type Clock, within } from "../clock.ts"
import type { Child, Processes } from "../runtime.ts"
import { mask, secretsIn } from "../text/mask.ts"
import { messageLines, type RpcMessage } from "./message-lines.ts"

/** What a program may print that is no message before it is taken for no server. */
const MOST_NOISE = 10 * 1024 * 1024
/** After so many bytes others of ours get their turn; a message takes as long as so many. */
const BREATH = 1024 * 1024
const MESSAGE_COST = 20_000
/** What is kept of the error output. */
const LAST_WORDS = 2_000
/** How long a server may take to end by itself when its input is closed. */
const GRACE_MS = 150

/** Where a server of our own runs. */
export interface ServerPlace {
  readonly processes: Processes
  readonly clock: Clock
  readonly cwd: string
  /** The whole environment. */
  readonly env: Record<string, string>
}

/** A transport that can say why it ended. */
export interface OwnTransport extends Transport {
  /** In words, with the last lines that the program wrote to its error output. */
  ending(): string | undefined
}

/** Speaks with a program of our own over its input and output. It ends, with all it started, when this is closed. */
export function stdioTransport(program: readonly [string, ...string[]], place: ServerPlace): OwnTransport {
  const stop = new AbortController()
  let child: Child | undefined
  let writer: WritableStreamDefaultWriter<Uint8Array> | undefined
  let ending: string | undefined
  let words = ""
  let isClosed = false
  let ended: Promise<void> = Promise.resolve()

  const transport: OwnTransport = {
    async start() {
      child = place.processes.spawn(program, { cwd: place.cwd, env: place.env, signal: stop.signal, input: "pipe" })
      writer = child.input?.getWriter()
      writer?.closed.catch(() => {}) // the write that fails tells
      ended = listen(child).then(closed, closed)
    },
    async send(message) {
      if (!writer || isClosed) throw new Error("the server has ended")
      try {
        await writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`))
      } catch (error) {
        await within(ended, GRACE_MS, place.clock) // why it does not listen any more says more than that it does not
        throw new Error(transport.ending() ?? String(error), { cause: error })
      }
    },
    async close() {
      if (isClosed) return
      isClosed = true
      ending ??= "it was stopped"
      if (child) {
        void writer?.close().catch(() => {})
        const exited = child.exited.catch(() => undefined)
        await within(exited, GRACE_MS, place.clock)
        stop.abort(new Error("the server is stopped"))
        await within(exited, GRACE_MS, place.clock)
      }
      transport.onclose?.()
    },
    ending() {
      if (ending === undefined) return undefined
      const last = mask(words, secretsIn(place.env)).trim().split("\n").slice(-5).join("\n").slice(-LAST_WORDS)
      return last === "" ? ending : `${ending}. Its last words: ${last}`
    },
  }

  async function listen({ output, exited }: Child): Promise<void> {
    const lines = messageLines()
    const decoder = new TextDecoder()
    let breath = BREATH
    const breathe = async (cost: number) => {
      breath -= cost
      if (breath > 0) return
      breath = BREATH
      await new Promise<void>((resolve) => place.clock.after(1, resolve))
    }
    for await (const { from, bytes } of output) {
      if (from === "stderr") words = (words + plain(decoder.decode(bytes, { stream: true }))).slice(-LAST_WORDS * 2)
      else {
        for (const message of lines.push(bytes)) {
          await hear(message)
          await breathe(MESSAGE_COST)
        }
      }
      if (lines.noise > MOST_NOISE) {
        ending = "it floods its output with what are no messages"
        return
      }
      await breathe(bytes.length)
    }
    for (const message of lines.end()) await hear(message)
    await exited.then(
      ({ code, signal }) => {
        ending ??= signal ? `it was ended by ${signal}` : `it ended with code ${code}`
      },
      (error: unknown) => {
        ending ??= error instanceof Error ? error.message : String(error)
      },
    )
  }

  async function hear(message: RpcMessage): Promise<void> {
    if (isClosed) return
    transport.onmessage?.(message as JSONRPCMessage)
    // the SDK looks at a notification a moment later, and by then an answer behind it would have made it void
    if (message.id === undefined) await Promise.resolve()
  }

  function closed(): void {
    if (isClosed) return
    isClosed = true
    stop.abort(new Error("the server has ended")) // what it started, too
    transport.onclose?.()
  }

  return transport
}

/** Without what moves the cursor or paints. */
function plain(text: string): string {
  return text.replace(/\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]/g, "")
}

/** A program as the system starts it: on Windows, what is no `.exe` is most likely a script for the command interpreter. */
export function programOf(
  command: string,
  args: readonly string[],
  os: "linux" | "mac" | "windows",
): [string, ...string[]] {
  if (os !== "windows" || /\.(exe|com)$/i.test(command)) return [command, ...args]
  const bad = [command, ...args].find((word) => /["&|<>^%!\r\n]/.test(word))
  if (bad !== undefined) throw new Error(`"${bad}" can't be passed to a script of Windows; name an .exe as the command`)
  return ["cmd.exe", "/d", "/s", "/c", command, ...args]
}
