import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { openDatabase } from "../../runtime/node/database.ts"
import { nodeFiles } from "../../runtime/node/files.ts"
import { type AssistantMessage, NO_USAGE, type Result, type ToolCall, textContent } from "../../src/agent/message.ts"
import type { Database } from "../../src/runtime.ts"
import type { NewSession } from "../../src/session/saved.ts"
import { openStore, Store } from "../../src/session/store.ts"

/** A store in memory, and the database behind it. */
export async function storeInMemory(now?: () => number): Promise<{ store: Store; db: Database }> {
  const db = await openDatabase(":memory:")
  onTestFinished(() => db.close())
  return { store: new Store(db, "memory", now), db }
}

/** The store in a folder, as one process has it open. */
export async function storeIn(folder: string): Promise<Store> {
  const store = await openStore({ files: nodeFiles(), openDatabase }, folder)
  onTestFinished(() => store.close())
  return store
}

/** The database in the folder of a store, to damage it. */
export async function databaseIn(folder: string): Promise<Database> {
  const db = await openDatabase(join(folder, "sessions.sqlite"))
  onTestFinished(() => db.close())
  return db
}

/** A path at which there is nothing yet. Gone after the test. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "store-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, "sessions")
}

export function sessionNamed(id: string, more: Partial<NewSession> = {}): NewSession {
  const cwd = "/project"
  return { id, cwd, folder: cwd, roots: [cwd], mode: "code", model: "m", efforts: new Map(), asked: {}, ...more }
}

export function said(text: string, calls: ToolCall[] = []): AssistantMessage {
  const stop = calls.length > 0 ? "tool_use" : "end_turn"
  return { role: "assistant", id: `reply-${text}`, content: textContent(text), calls, stop, usage: NO_USAGE }
}

export function call(id: string): ToolCall {
  return { id, name: "work", input: {} }
}

export function resultOf(id: string, text: string): Result {
  const content = textContent(text)
  const shown: Result["shown"] = { title: "work", kind: "other", locations: [], display: content }
  return { role: "result", id, name: "work", status: "ok", content, shown }
}

/** Runs a script of this folder as a program of its own, on the runtime that runs the tests. */
export function startScript(name: string, ...args: string[]): ChildProcess {
  const path = fileURLToPath(new URL(name, import.meta.url))
  const flags = process.versions.deno
    ? ["run", "-A"]
    : process.versions.bun
      ? []
      : ["--experimental-strip-types", "--no-warnings"]
  return spawn(process.execPath, [...flags, path, ...args], { stdio: ["ignore", "pipe", "inherit"] })
}
