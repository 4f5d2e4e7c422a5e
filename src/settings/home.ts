import type { Files, System } from "../runtime.ts"

/** What settings files are called, in Koda home and in a workspace's `.koda`. */
export const SETTINGS_FILE = "settings.json"

/** The folder of our own files: `$KODA_CLI_HOME`, or the `.kodacli` in it if there is one; else `~/.kodacli`. */
export async function kodaHome(
  system: Pick<System, "env" | "home" | "cwd">,
  files: Pick<Files, "stat">,
): Promise<string> {
  const named = system.env()["KODA_CLI_HOME"]?.trim()
  if (!named) return `${system.home}/.kodacli`
  const folder = absolute(named.replace(/(?<=.)[\\/]+$/, ""), system)
  const inner = `${folder}/.kodacli`
  const found = await files.stat(inner).catch(() => undefined)
  return found?.kind === "folder" ? inner : folder
}

export function homeSettingsPath(home: string): string {
  return `${home}/${SETTINGS_FILE}`
}

export function workspaceSettingsPath(workspace: string): string {
  return `${workspace.replace(/(?<=.)[\\/]+$/, "")}/.koda/${SETTINGS_FILE}`
}

function absolute(path: string, { home, cwd }: Pick<System, "home" | "cwd">): string {
  if (path === "~" || /^~[\\/]/.test(path)) return home + path.slice(1)
  return /^([\\/]|[A-Za-z]:[\\/])/.test(path) ? path : `${cwd}/${path}`
}
