import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"

/** What there is at a path: a text, bytes, or a link. */
export type Tree = Readonly<Record<string, string | Uint8Array | { link: string }>>

/** A folder of its own with these files. Gone after the test. */
export async function folderOf(tree: Tree): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "editing-")))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, what] of Object.entries(tree)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    if (typeof what === "string" || what instanceof Uint8Array) await writeFile(path, what)
    else await symlink(what.link, path)
  }
  return folder
}
