import { isAbsolute, isWithin } from "./paths.ts"

/**
 * The folders of a PATH whose programs are the machine's: none that a project brings, as those are that `npx` and the like
 * put before all others. A project that is all of the user's home brings nothing.
 */
export function programFolders(path: string, projects: readonly string[], home: string): string[] {
  const bringing = projects.filter((project) => !isWithin(project, home))
  return path.split(separatorIn(path)).filter((folder) => {
    if (!isAbsolute(folder) || folder.split(/[\\/]/).includes("node_modules")) return false
    return !bringing.some((project) => isWithin(project, folder))
  })
}

/** A PATH of Windows has drives in it. */
export function separatorIn(path: string): ":" | ";" {
  return path.includes(";") || /^[A-Za-z]:[\\/]/.test(path) ? ";" : ":"
}
