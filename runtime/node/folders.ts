import { codeOf } from "./file-error.ts"

const fs = () => process.getBuiltinModule("node:fs/promises")
const paths = () => process.getBuiltinModule("node:path")

/**
 * Makes a folder, and those on the way. Node's own `recursive` tries for ever, and keeps a thread busy, where the system
 * says that there is nothing to make it in though there is, as it does in `/proc`.
 */
export async function makeFolders(path: string, mode?: number): Promise<void> {
  const make = () => fs().mkdir(path, { ...(mode !== undefined && { mode }) })
  try {
    await make()
  } catch (error) {
    if (await isFolder(path)) return
    const parent = paths().dirname(path)
    if (codeOf(error) !== "ENOENT" || parent === path || (await isFolder(parent))) throw error
    await makeFolders(parent, mode)
    await make().catch(async (error: unknown) => {
      if (!(await isFolder(path))) throw error // else somebody else has made it meanwhile
    })
  }
}

async function isFolder(path: string): Promise<boolean> {
  const info = await fs()
    .stat(path)
    .catch(() => undefined)
  return info?.isDirectory() === true
}
