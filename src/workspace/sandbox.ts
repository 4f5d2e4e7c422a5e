import { type Bounds, bubblewrapped } from "./bubblewrap.ts"
import { childEnvironment } from "./environment.ts"
import { hiddenOf } from "./hidden.ts"
import type { Confine } from "./launch.ts"
import type { Machine } from "./machine.ts"
import { joinPath } from "./paths.ts"
import { programFolders } from "./program-folders.ts"
import { SEATBELT, seatbelted } from "./seatbelt.ts"

/** What is known of the sandbox of this machine. */
export type Sandbox = { confine(bounds: Bounds): Confine } | { missing: string }

type Needs = Pick<Machine, "processes" | "files" | "system" | "path" | "clock">

/**
 * Confines programs to the workspace, and keeps these files and folders from their eyes. Where that can't be done none
 * is started, and the error says why.
 */
export function confineTo(
  machine: Needs,
  roots: readonly string[],
  network: boolean,
  secrets: readonly string[] = [],
): Confine {
  let looked: Promise<Confine> | undefined
  async function look(): Promise<Confine> {
    const sandbox = await findSandbox(machine)
    if ("missing" in sandbox) {
      throw new Error(
        `Commands are to run in a sandbox, and there is none: ${sandbox.missing}. Nothing was run. The user can turn it off: "sandbox" in the settings.`,
      )
    }
    const { files, system } = machine
    const real = (path: string) => files.realPath(path).catch(() => path)
    const temp = await real(system.temp)
    const writable = [...new Set(await Promise.all(roots.map(real)))]
    return async (program, folder) => {
      const hidden = await hiddenOf(machine, secrets, temp, writable)
      return await sandbox.confine({ writable, temp, hidden, network })(program, folder)
    }
  }
  return async (program, folder) => {
    looked ??= look()
    looked.catch(() => (looked = undefined)) // it may be there next time
    return (await looked)(program, folder)
  }
}

/** The sandbox of this machine, once it has been seen to work. */
export async function findSandbox(machine: Needs): Promise<Sandbox> {
  const { files, system } = machine
  switch (system.os) {
    case "windows":
      return { missing: "Windows has none that koda can use" }
    case "mac": {
      const found = await files.stat(SEATBELT).catch(() => undefined)
      if (!found) return { missing: `there is no ${SEATBELT}` }
      return { confine: (bounds) => (program) => seatbelted(bounds, program) }
    }
    case "linux": {
      const bwrap = await findProgram("bwrap", machine)
      if (bwrap === undefined) return { missing: "there is no `bwrap`; install the package bubblewrap" }
      const hasRun = (await files.stat("/run").catch(() => undefined))?.kind === "folder"
      const none = { writable: [], hidden: [], network: false }
      const tried = await tryOut(bubblewrapped(bwrap, none, { hasRun, isRoot: false }, ["id", "-u"], "/"), machine)
      if ("wrong" in tried) return { missing: `bwrap does not work here: ${tried.wrong}` }
      const ground = { hasRun, isRoot: tried.printed.trim() === "0" }
      return { confine: (bounds) => (program, folder) => bubblewrapped(bwrap, bounds, ground, program, folder) }
    }
  }
}

/** Nothing that the workspace brings may pass for it. */
async function findProgram(name: string, { files, system, path }: Needs): Promise<string | undefined> {
  for (const folder of programFolders((await path()) ?? "", [system.cwd], system.home)) {
    const at = joinPath(folder, name)
    const found = await files.stat(at).catch(() => undefined)
    if (found?.kind === "file" && (found.mode & 0o111) !== 0) return at
  }
  return undefined
}

const PATIENCE_MS = 5_000

/** What a program prints, or why it fails. */
async function tryOut(
  program: readonly [string, ...string[]],
  { processes, system, path, clock }: Needs,
): Promise<{ printed: string } | { wrong: string }> {
  const stop = new AbortController()
  const forget = clock.after(PATIENCE_MS, () => stop.abort(new Error("it did not end")))
  try {
    const env = childEnvironment(system.env(), await path())
    const child = processes.spawn(program, { cwd: "/", env, signal: stop.signal })
    child.exited.catch(() => {}) // awaited below
    let printed = ""
    for await (const { bytes } of child.output) printed = (printed + new TextDecoder().decode(bytes)).slice(0, 500)
    const { code } = await child.exited
    return code === 0 ? { printed } : { wrong: printed.trim() || `exit code ${code}` }
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) }
  } finally {
    forget()
  }
}
