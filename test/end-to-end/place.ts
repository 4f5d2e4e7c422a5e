import { execFile } from "node:child_process"
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { onTestFinished } from "vitest"

/** A home, a workspace under git and a folder for temporary files that nothing else knows. */
export interface Place {
  workspace: string
  home: string
  kodaHome: string
  temp: string
  /** Adds files to the workspace. */
  write(files: Tree): Promise<void>
  git(...args: string[]): Promise<unknown>
  /** All that a program started here knows of its surroundings. */
  env: Record<string, string>
}

/** Files by their path. */
export type Tree = Readonly<Record<string, string>>

/** Gone after the test. */
export async function newPlace(workspaceFiles: Tree = {}, kodaHomeFiles: Tree = {}): Promise<Place> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "koda-e2e-")))
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))
  const workspace = join(root, "workspace")
  const home = join(root, "home")
  const kodaHome = join(root, "koda-home")
  const temp = join(root, "temp")
  await Promise.all([workspace, home, kodaHome, join(temp, "loot")].map((folder) => mkdir(folder, { recursive: true })))
  await write(workspace, workspaceFiles)
  await write(kodaHome, { "settings.json": '{ "localModels": false }', ...kodaHomeFiles })
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    KODA_CLI_HOME: kodaHome,
    TMPDIR: temp,
    LANG: "C.UTF-8",
    DENO_NO_UPDATE_CHECK: "1",
  }
  const git = (...args: string[]) => promisify(execFile)("git", args, { cwd: workspace, env })
  await git("init", "--quiet")
  return { workspace, home, kodaHome, temp, write: (files) => write(workspace, files), git, env }
}

async function write(folder: string, files: Tree): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
}
