import { join } from "node:path"
import { nodeFiles } from "../../runtime/node/files.ts"
import { type Content, textOf } from "../../src/agent/message.ts"
import type { Outcome, Tool } from "../../src/agent/tool.ts"
import type { Files } from "../../src/runtime.ts"
import { createDocuments } from "../../src/workspace/open-documents.ts"
import type { Workspace } from "../../src/workspace/workspace.ts"
import { folderOf, type Tree } from "./folder.ts"

export const files: Files = nodeFiles()

const never = new AbortController().signal

/** A workspace in a real folder with these files, gone after the test. */
export async function workspaceOf(tree: Tree, changed: Partial<Workspace> = {}): Promise<Workspace> {
  const cwd = await folderOf(tree)
  return { cwd, roots: [cwd], home: join(cwd, "home"), files, documents: createDocuments(files), ...changed }
}

/** What comes of a call. */
export async function outcomeOf(tool: Tool, input: object, signal: AbortSignal = never): Promise<Outcome> {
  const action = await tool.prepare(input, signal)
  return action.run({ call: { id: "1", name: tool.name, input }, signal, report: () => {} })
}

/** What the model reads of a call; the message of the error, if it fails. */
export async function answerOf(tool: Tool, input: object): Promise<string> {
  try {
    return textOf((await outcomeOf(tool, input)).content)
  } catch (error) {
    return `error: ${(error as Error).message}`
  }
}

/** What the model reads of a call, part by part. */
export async function partsOf(tool: Tool, input: object): Promise<Content[]> {
  return (await outcomeOf(tool, input)).content
}

/** What the gate judges and the user is shown before a call runs. */
export async function plannedFor(tool: Tool, input: object): Promise<object> {
  const { run: _, ...action } = await tool.prepare(input, never)
  return action
}
