import * as v from "valibot"
import type { Peer } from "../jsonrpc/peer.ts"
import type { Editor } from "../workspace/editor.ts"
import type { Terminals } from "../workspace/terminal-command.ts"
import type { Client } from "./client.ts"

const READ = v.looseObject({ content: v.string() })

/** The client's files, as far as it said that it offers them. */
export function editorOf(peer: Peer, client: () => Client, sessionId: string): Editor {
  return {
    get readText() {
      if (!client().readsFiles) return undefined
      return async (path: string, signal: AbortSignal) => {
        const params = { sessionId, path, line: null, limit: null }
        return v.parse(READ, await peer.request("fs/read_text_file", params, signal)).content
      }
    },
    get writeText() {
      if (!client().writesFiles) return undefined
      return async (path: string, content: string, signal: AbortSignal) => {
        await peer.request("fs/write_text_file", { sessionId, path, content }, signal)
      }
    },
  }
}

const CREATED = v.looseObject({ terminalId: v.string() })
const EXIT = v.looseObject({ exitCode: v.nullish(v.number(), null), signal: v.nullish(v.string(), null) })
const OUTPUT = v.looseObject({ output: v.string(), truncated: v.nullish(v.boolean()) })

/** The client's terminals. */
export function terminalsOf(peer: Peer, sessionId: string): Terminals {
  const ask = (verb: string, params: object, signal: AbortSignal = NEVER) =>
    peer.request(`terminal/${verb}`, { sessionId, ...params }, signal)
  return {
    async create(request) {
      return v.parse(CREATED, await ask("create", request)).terminalId
    },
    async output(terminalId) {
      const { output, truncated } = v.parse(OUTPUT, await ask("output", { terminalId }))
      return { output, truncated: truncated === true }
    },
    async waitForExit(terminalId, signal) {
      const { exitCode, signal: killedBy } = v.parse(EXIT, await ask("wait_for_exit", { terminalId }, signal))
      return { exitCode, signal: killedBy }
    },
    async kill(terminalId) {
      await ask("kill", { terminalId })
    },
    async release(terminalId) {
      await ask("release", { terminalId })
    },
  }
}

/** What stops a command must reach the client also when the turn has been cancelled. */
const NEVER = new AbortController().signal
