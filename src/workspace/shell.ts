import type { Files, System } from "../runtime.ts"
import { programFolders } from "./program-folders.ts"
import { type Shell, windowsShell } from "./windows-shell.ts"

/** The shell of this machine: bash, else sh; on Windows PowerShell, else cmd. */
export async function findShell(files: Files, system: System): Promise<Shell> {
  const env = system.env()
  if (system.os === "windows") return await windowsShell(files, env)
  const named = programFolders(env["PATH"] ?? "", [system.cwd], system.home)
  const folders = [...named, "/bin", "/usr/bin", "/usr/local/bin"]
  for (const folder of folders) {
    const found = await files.stat(`${folder}/bash`).catch(() => undefined)
    if (found?.kind === "file" && (found.mode & 0o111) !== 0) return posixShell("bash", `${folder}/bash`)
  }
  return posixShell("sh", "/bin/sh")
}

function posixShell(name: string, path: string): Shell {
  return {
    name,
    program: (command) => [path, "-c", argumentFor(command)],
    oneStream: (command) => [path, "-c", `exec 2>&1; ${command}`],
  }
}

/** A command as the argument behind `-c`: one that begins like an option must not be taken for one. */
export function argumentFor(command: string): string {
  return /^[-+]/.test(command) ? ` ${command}` : command
}
