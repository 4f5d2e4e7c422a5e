import { FileError, type Files } from "../runtime.ts"
import { joinPath, nameOf, parentOf, resolvePath } from "./paths.ts"

/** As long a chain of links as systems follow. */
const MOST_LINKS = 40

/**
 * Where a path leads once every link is followed, also when there is nothing yet: the deepest folder that exists is
 * resolved, and a link to nothing counts as what it names.
 */
export async function placeOf(files: Files, path: string, links: number = MOST_LINKS): Promise<string> {
  try {
    return await files.realPath(path)
  } catch (error) {
    if (!(error instanceof FileError) || (error.code !== "not_found" && error.code !== "not_folder")) throw error
  }
  const folder = parentOf(path)
  if (folder === path) return path
  const target = links > 0 ? await files.readLink(path).catch(() => undefined) : undefined
  const place = await placeOf(files, folder, links)
  if (target === undefined) return joinPath(place, nameOf(path))
  return placeOf(files, resolvePath(place, target, ""), links - 1)
}
