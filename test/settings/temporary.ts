import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { nodeRuntime } from "../../runtime/node/runtime.ts"
import type { Files } from "../../src/runtime.ts"

export interface Folders {
  files: Files
  home: string
  workspace: string
  /** The settings files in them. */
  ours: string
  theirs: string
}

/** A Koda home and a workspace, with these settings; gone after the test. */
export async function foldersWith(ours?: unknown, theirs?: unknown): Promise<Folders> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "koda-test-")))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const folders = {
    files: nodeRuntime().files,
    home: join(root, "home"),
    workspace: join(root, "work"),
    ours: join(root, "home/settings.json"),
    theirs: join(root, "work/.koda/settings.json"),
  }
  await mkdir(join(folders.workspace, ".koda"), { recursive: true })
  if (ours !== undefined) await mkdir(folders.home)
  if (ours !== undefined) await writeFile(folders.ours, written(ours))
  if (theirs !== undefined) await writeFile(folders.theirs, written(theirs))
  return folders
}

function written(settings: unknown): string {
  return typeof settings === "string" ? settings : JSON.stringify(settings, null, 2)
}
