import { expect, test } from "vitest"
import type { Files, System } from "../../src/runtime.ts"
import { findShell } from "../../src/workspace/shell.ts"

/** Files of which only these exist, and can be run. */
function filesWith(...paths: string[]): Files {
  const stat = async (path: string) =>
    paths.includes(path) ? { kind: "file" as const, size: 1, mode: 0o755, changed: 0 } : undefined
  return { stat } as Partial<Files> as Files
}

function systemWith(os: System["os"], env: Record<string, string>): System {
  return { os, cwd: "/w", home: "/home/me", env: () => env } as Partial<System> as System
}

test("SH-10 commands run in bash, wherever it is, and in sh where there is none", async () => {
  const linux = systemWith("linux", { PATH: "/opt/bin:/usr/bin" })
  const shells = [
    await findShell(filesWith("/opt/bin/bash", "/usr/bin/bash"), linux),
    await findShell(filesWith("/bin/bash"), linux),
    await findShell(filesWith("/bin/sh"), linux),
  ]
  expect(shells.map((shell) => [shell.name, ...shell.program("a && b")])).toEqual([
    ["bash", "/opt/bin/bash", "-c", "a && b"],
    ["bash", "/bin/bash", "-c", "a && b"],
    ["sh", "/bin/sh", "-c", "a && b"],
  ])
})

test("a command that begins like an option is none", async () => {
  const { program } = await findShell(filesWith("/bin/bash"), systemWith("linux", {}))
  expect([program("-x"), program("+x"), program("a -x")].map((words) => words.at(-1))).toEqual([" -x", " +x", "a -x"])
})

test("PE-05 a shell that a project brings is not the machine's", async () => {
  const linux = systemWith("linux", { PATH: "/w/bin:/x/node_modules/.bin:/opt/bin" })
  const files = filesWith("/w/bin/bash", "/x/node_modules/.bin/bash", "/opt/bin/bash")
  expect((await findShell(files, linux)).program("true")[0]).toBe("/opt/bin/bash")
  const windows = systemWith("windows", { Path: "C:\\x\\node_modules\\.bin;C:\\Bin" })
  const shells = filesWith("C:\\x\\node_modules\\.bin\\pwsh.exe", "C:\\Bin\\pwsh.exe")
  expect((await findShell(shells, windows)).program("dir")[0]).toBe("C:\\Bin\\pwsh.exe")
})

test("SH-10 on Windows commands run in PowerShell, encoded and without a profile, else in cmd", async () => {
  const windows = systemWith("windows", { Path: "C:\\Tools;C:\\Bin\\", SystemRoot: "C:\\Windows" })
  const power = await findShell(filesWith("C:\\Bin\\pwsh.exe"), windows)
  const [program, ...args] = power.program('echo "a b"')
  const script = atob(args.at(-1) as string).replaceAll("\0", "")
  expect({ name: power.name, program, args: args.slice(0, -1), says: script.includes('\necho "a b"\n') }).toEqual({
    name: "PowerShell 7",
    program: "C:\\Bin\\pwsh.exe",
    args: ["-NoLogo", "-NoProfile", "-NonInteractive", "-EncodedCommand"],
    says: true,
  })
  const old = "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe"
  expect((await findShell(filesWith(old), windows)).name).toBe("Windows PowerShell 5.1 (no &&)")
  expect((await findShell(filesWith(), windows)).program("dir")[0]).toBe("C:\\Windows\\System32\\cmd.exe")
})
