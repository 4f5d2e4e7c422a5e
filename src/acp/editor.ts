import * as v from "valibot"
import type { Peer } from "../jsonrpc/peer.ts"
import type { Terminals } from "../workspace/commands.ts"
import type { Editor } from "../workspace/editor.ts"
import type { Connection } from "./connection.ts"

const READ = v.looseObject({ content: v.string() })

/** The client's files, as far as it said that it offers them. */
export function editorOf(connection: Connection, sessionId: string): Editor {
  const { peer } = connection
  return {
    get readText() {
      if (!connection.client.readsFiles) return undefined
      return async (path: string, signal: AbortSignal) => {
        const params = { sessionId, path, line: null, limit: null }
        return v.parse(READ, await peer.request("fs/read_text_file", params, signal)).content
      }
    },
    get writeText() {
      if (!connection.client.writesFiles) return undefined
      return async (path: string, content: string, signal: AbortSignal) => {
        await peer.request("fs/write_text_file", { sessionId, path, content }, signal)
      }
    },
  }
}

const CREATED = v.looseObject({ terminalId: v.string() })
const EXIT = v.looseObject({ exitCode: v.nullish(v.number()), signal: v.nullish(v.string()) })
const OUTPUT = v.looseObject({ output: v.string(), truncated: v.nullish(v.boolean()), exitStatus: v.nullish(EXIT) })

/** The client's terminals. */
export function terminalsOf(peer: Peer, sessionId: string): Terminals {
  return {
    async create({ command, args, env, cwd, outputByteLimit }, signal) {
      const variables = Object.entries(env).map(([name, value]) => ({ name, value }))
      const params = { sessionId, command, args, env: variables, cwd, outputByteLimit }
      return v.parse(CREATED, await peer.request("terminal/create", params, signal)).terminalId
    },
    async output(terminalId, signal) {
      const { output, truncated, exitStatus } = v.parse(
        OUTPUT,
        await peer.request("terminal/output", { sessionId, terminalId }, signal),
      )
      return { output, truncated: truncated === true, exit: exitStatus ? exitOf(exitStatus) : undefined }
    },
    async waitForExit(terminalId, signal) {
      return exitOf(v.parse(EXIT, await peer.request("terminal/wait_for_exit", { sessionId, terminalId }, signal)))
    },
    async kill(terminalId, signal) {
      await peer.request("terminal/kill", { sessionId, terminalId }, signal)
    },
    async release(terminalId, signal) {
      await peer.request("terminal/release", { sessionId, terminalId }, signal)
    },
  }
}

function exitOf({ exitCode, signal }: v.InferOutput<typeof EXIT>): { code: number | null; signal: string | null } {
  return { code: exitCode ?? null, signal: signal ?? null }
}
