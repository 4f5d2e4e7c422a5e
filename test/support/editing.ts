import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { nodeFiles } from "../../runtime/node/files.ts"
import { textOf } from "../../src/agent/message.ts"
import type { Outcome, Tool } from "../../src/agent/tool.ts"
import type { Editor } from "../../src/workspace/editor.ts"
import { createDocuments } from "../../src/workspace/open-documents.ts"
import type { Workspace } from "../../src/workspace/workspace.ts"
import { folderOf, type Tree } from "./folder.ts"

/** A workspace in a real folder, and short ways to edit it and to look at it. */
export interface Bench {
  readonly workspace: Workspace
  path(name: string): string
  /** What a call answers; the message of the error, if it fails. */
  call(tool: (workspace: Workspace) => Tool, input: object): Promise<string>
  outcome(tool: (workspace: Workspace) => Tool, input: object): Promise<Outcome>
  /** What the agent's own reading tool would do. */
  read(name: string): Promise<string>
  bytes(name: string): Promise<string>
  text(name: string): Promise<string>
  mode(name: string): Promise<number>
}

export const NEVER: AbortSignal = new AbortController().signal

export async function benchOf(tree: Tree, editor?: (cwd: string) => Editor): Promise<Bench> {
  const cwd = await folderOf(tree)
  const files = nodeFiles()
  const documents = createDocuments(files, editor?.(cwd))
  const workspace: Workspace = { cwd, roots: [cwd], home: join(cwd, "home"), files, documents }
  const path = (name: string) => join(cwd, name)

  async function outcome(tool: (workspace: Workspace) => Tool, input: object): Promise<Outcome> {
    const action = await tool(workspace).prepare(input, NEVER)
    return action.run(contextOf(input))
  }
  return {
    workspace,
    path,
    outcome,
    async call(tool, input) {
      try {
        return textOf((await outcome(tool, input)).content).replaceAll(`${cwd}/`, "")
      } catch (error) {
        return (error as Error).message.replaceAll(`${cwd}/`, "")
      }
    },
    read: async (name) => (await documents.read(path(name), NEVER)).text,
    bytes: async (name) => (await readFile(path(name))).toString("latin1"),
    text: (name) => readFile(path(name), "utf8"),
    mode: async (name) => (await stat(path(name))).mode & 0o777,
  }
}

export function contextOf(input: object) {
  return { call: { id: "call-1", name: "tool", input }, signal: NEVER, report() {} }
}

/** Bytes of a string whose characters are all below U+0100. */
export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0))
}
