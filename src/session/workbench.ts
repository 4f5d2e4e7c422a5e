import { createGate, type SessionGate } from "../permission/gate.ts"
import { KEYS, OUR_KEYS } from "../permission/guarded.ts"
import { placesOn } from "../permission/paths.ts"
import { inspectCommand } from "../permission/shell.ts"
import { Commands } from "../workspace/commands.ts"
import type { Editor } from "../workspace/editor.ts"
import { createDocuments } from "../workspace/open-documents.ts"
import { joinPath } from "../workspace/paths.ts"
import { confineTo } from "../workspace/sandbox.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { type Hooks, hooksOf } from "./hooks.ts"
import type { SessionNeeds, SessionParams, SessionTies } from "./needs.ts"

/** Where a session works: its files, its commands, and what may be done to them. */
export interface Workbench {
  readonly workspace: Workspace
  readonly commands: Commands
  readonly hooks: Hooks
  readonly gate: SessionGate
  /** Whether a path leads to keys or secrets. */
  isSecret(path: string): Promise<boolean>
  /** The folders whose repositories a command only reads; undefined if it does more than read. */
  repositories(command: string, folder: string): ReturnType<typeof repositoriesOf>
}

type Ties = Pick<SessionTies, "dials" | "ask" | "canAsk" | "speaker" | "tell" | "lifetime">

export function workbenchOf(params: SessionParams, needs: SessionNeeds, ties: Ties): Workbench {
  const { runtime, machine, settings } = needs
  const { files, system } = runtime
  const { cwd, roots } = params
  const { sandbox } = settings
  // What we write there must not be led elsewhere by a command in the sandbox, which can write among temporary files.
  const outputFolder = joinPath(sandbox.enabled ? `${needs.home}/output` : system.temp, `koda-${params.id}`)
  const documents = createDocuments(files, editorOf(ties))
  const secrets = [
    ...KEYS.map((path) => joinPath(system.home, path)),
    ...OUR_KEYS.map((path) => joinPath(needs.home, path)),
  ]
  const commands = new Commands(
    {
      machine,
      documents,
      roots,
      terminals: () => ties.speaker()?.terminals,
      ...(sandbox.enabled && { confine: confineTo(machine, roots, sandbox.network, secrets) }),
      outputFolder,
    },
    ties.lifetime,
  )
  const hooks = hooksOf({
    hooks: settings.hooks,
    machine,
    session: params.id,
    cwd,
    source: params.entries === undefined ? "new" : "load",
    warn: (text) => ties.tell({ type: "notice", text }),
  })
  const ground = {
    files,
    os: system.os,
    home: system.home,
    kodaHome: needs.home,
    roots: () => roots,
    ours: () => [outputFolder],
  }
  const { dials: stance, ask, canAsk } = ties
  const gate = hooks.gate(createGate({ stance, ground, ask, canAsk, allowed: () => needs.allowed }))
  const places = placesOn(ground)
  return {
    workspace: { cwd, roots, home: system.home, files, documents },
    commands,
    hooks,
    gate,
    isSecret: async (path) => (await places([path])).some((place) => place.keys),
    repositories: (command, folder) => repositoriesOf(command, folder, needs),
  }
}

async function repositoriesOf(command: string, folder: string, { runtime: { system } }: Pick<SessionNeeds, "runtime">) {
  if (system.os === "windows") return undefined
  const facts = await inspectCommand(command, folder, system.home)
  return facts.reading ? facts.repositories : undefined
}

/** The unsaved buffers of the client whose prompt runs. */
function editorOf({ speaker }: Pick<SessionTies, "speaker">): Editor {
  return {
    get readText() {
      return speaker()?.editor.readText
    },
    get writeText() {
      return speaker()?.editor.writeText
    },
  }
}
