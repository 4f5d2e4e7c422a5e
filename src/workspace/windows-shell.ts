import type { Files } from "../runtime.ts"
import { programFolders } from "./program-folders.ts"

/** What runs our commands. */
export interface Shell {
  /** For the model, which has to write for it. */
  readonly name: string
  /** The program and its arguments for one command; no start-up file is read. */
  program(command: string): [string, ...string[]]
  /** The same, with errors in the midst of the output where they belong. */
  oneStream(command: string): [string, ...string[]]
}

/** PowerShell 7, else the PowerShell of Windows, else cmd. */
export async function windowsShell(files: Files, env: Readonly<Record<string, string>>): Promise<Shell> {
  const path = Object.entries(env).find(([name]) => name.toLowerCase() === "path")?.[1] ?? ""
  const windows = env["SystemRoot"] ?? "C:\\Windows"
  const folders = [...programFolders(path, [], ""), `${windows}\\System32\\WindowsPowerShell\\v1.0`]
  for (const [file, name] of [
    ["pwsh.exe", "PowerShell 7"],
    ["powershell.exe", "Windows PowerShell 5.1 (no &&)"],
  ] as const) {
    for (const folder of folders) {
      const candidate = `${folder.replace(/\\+$/, "")}\\${file}`
      const found = await files.stat(candidate).catch(() => undefined)
      if (found?.kind === "file") return powerShell(name, candidate)
    }
  }
  const cmd = env["ComSpec"] ?? `${windows}\\System32\\cmd.exe`
  const program: Shell["program"] = (command) => [cmd, "/d", "/s", "/c", `chcp 65001 >nul & ${command}`]
  return { name: "cmd", program, oneStream: program }
}

/** The command goes encoded, because quotes do not survive Windows' command line; the exit code is the program's. */
function powerShell(name: string, path: string): Shell {
  const program: Shell["program"] = (command) => {
    const script = [
      "$ProgressPreference = 'SilentlyContinue'",
      "[Console]::OutputEncoding = [Text.Encoding]::UTF8",
      command,
      "if ($null -ne $LASTEXITCODE) { exit $LASTEXITCODE } elseif (-not $?) { exit 1 }",
    ].join("\n")
    return [path, "-NoLogo", "-NoProfile", "-NonInteractive", "-EncodedCommand", utf16Base64(script)]
  }
  return { name, program, oneStream: program }
}

function utf16Base64(text: string): string {
  let bytes = ""
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    bytes += String.fromCharCode(code & 0xff, code >> 8)
  }
  return btoa(bytes)
}
