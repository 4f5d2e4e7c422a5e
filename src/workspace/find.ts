import { type Glob, globMatcher, globOf, isGlob } from "./glob.ts"
import { rulesAround } from "./ignore.ts"
import { meantPath } from "./meant.ts"
import { newTally, type Tally, walk } from "./walk.ts"
import type { Workspace } from "./workspace.ts"

/** Files that a glob names. */
export interface Found {
  /** Absolute, sorted. */
  paths: readonly string[]
  /** There are more than were asked for. */
  more: boolean
  tally: Tally
}

/** The glob somebody means; what exists under that very name is no glob: `app/[id]/page.tsx`. */
export async function globFor(workspace: Workspace, said: string, folder: string): Promise<Glob> {
  const path = await meantPath(workspace, said, folder)
  const exists = isGlob(said) && (await workspace.files.stat(path).catch(() => undefined)) !== undefined
  return exists ? { from: path, rest: "", depth: 1 } : globOf(said, folder, workspace.home)
}

/** Finds files by the workspace's ignore files; what is named outright is found in any case. */
export async function findFiles(workspace: Workspace, glob: Glob, most: number, signal: AbortSignal): Promise<Found> {
  const { files, roots } = workspace
  const tally = newTally()
  if (glob.rest === "") {
    const info = await files.stat(glob.from)
    return { paths: info?.kind === "file" ? [glob.from] : [], more: false, tally }
  }
  const matches = globMatcher(glob)
  const rules = await rulesAround(files, glob.from, roots)
  const paths: string[] = []
  for await (const path of walk(files, { from: glob.from, rules, depth: glob.depth }, tally, signal)) {
    if (!matches(path)) continue
    if (paths.length === most) return { paths, more: true, tally }
    paths.push(path)
  }
  return { paths, more: false, tally }
}

/** What a walk left out, for whoever may have looked for it. */
export function leftOut({ ignored, unreadable, full, seen }: Tally): string[] {
  return [
    ...(full
      ? [`Only the first ${seen.toLocaleString("en")} entries were looked at; name a folder further down.`]
      : []),
    ...(unreadable > 0 ? [`${unreadable} ${unreadable === 1 ? "folder" : "folders"} could not be read.`] : []),
    ...(ignored > 0
      ? [
          `${ignored} ignored ${ignored === 1 ? "entry was" : "entries were"} skipped; to look in there, name the folder.`,
        ]
      : []),
  ]
}
