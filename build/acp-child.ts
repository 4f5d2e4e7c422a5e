import { spawn } from "node:child_process"
import { createInterface } from "node:readline"

export type Json = Record<string, unknown>

/** A program that speaks ACP on its standard streams, and we as its client. */
export interface AcpChild {
  /** Resolves with the result; rejects with the words of the error. */
  request(method: string, params: Json): Promise<Json>
  notify(method: string, params: Json): void
  /** Ends its input, as a client that is done does. Resolves with its exit code. */
  hangUp(): Promise<number>
}

export interface AcpClient {
  /** Where the program is started, and with which environment. */
  cwd: string
  env: NodeJS.ProcessEnv
  /** What it tells us. */
  heard(method: string, params: Json): void
  /** What it asks of us; throws for what we can't answer. */
  asked(method: string, params: Json): Json | Promise<Json>
}

interface Message {
  id?: number | string
  method?: string
  params?: Json
  result?: Json
  error?: { code: number; message: string; data?: { details?: string } }
}

/** Starts it; its standard error is shown on ours. */
export function startAcp(command: readonly [string, ...string[]], client: AcpClient): AcpChild {
  const child = spawn(command[0], command.slice(1), {
    cwd: client.cwd,
    env: client.env,
    stdio: ["pipe", "pipe", "inherit"],
  })
  const open = new Map<number, { resolve(result: Json): void; reject(error: Error): void }>()
  const ended = new Promise<number>((resolve) => {
    child.once("error", () => resolve(127))
    child.once("close", (code) => resolve(code ?? 1))
  })
  void ended.then((code) => {
    for (const { reject } of open.values())
      reject(new Error(`${command.join(" ")} ended with ${code} before it answered`))
  })
  child.stdin.on("error", () => {})

  const send = (message: Message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const answer = async ({ id, method, params = {} }: Message) => {
    try {
      send({ id: id!, result: await client.asked(method!, params) })
    } catch (error) {
      send({ id: id!, error: { code: -32601, message: String(error) } })
    }
  }
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as Message
    if (message.method === undefined) {
      const waiting = open.get(Number(message.id))
      open.delete(Number(message.id))
      if (message.error) waiting?.reject(new Error(message.error.data?.details ?? message.error.message))
      else waiting?.resolve(message.result ?? {})
    } else if (message.id === undefined) client.heard(message.method, message.params ?? {})
    else void answer(message)
  })

  let lastId = 0
  return {
    request(method, params) {
      const id = ++lastId
      send({ id, method, params })
      return new Promise((resolve, reject) => open.set(id, { resolve, reject }))
    },
    notify(method, params) {
      send({ method, params })
    },
    hangUp() {
      child.stdin.end()
      return ended
    },
  }
}
