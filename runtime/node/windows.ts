/** Windows has no groups to signal: its own tool ends a program and what it started. */
export function killTree(pid: number): void {
  const { spawn } = process.getBuiltinModule("node:child_process")
  const killer = spawn("taskkill", forced(pid), { stdio: "ignore", windowsHide: true })
  killer.on("error", () => process.kill(pid))
}

export function killTreeNow(pid: number): void {
  const { spawnSync } = process.getBuiltinModule("node:child_process")
  spawnSync("taskkill", forced(pid), { stdio: "ignore", windowsHide: true })
}

function forced(pid: number): string[] {
  return ["/PID", String(pid), "/T", "/F"]
}
