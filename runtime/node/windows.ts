/** Windows has no groups to signal: its own tool ends a program and what it started. */
export function killTree(pid: number): void {
  const { spawn } = process.getBuiltinModule("node:child_process")
  const killer = spawn("taskkill", ["/PID", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true })
  killer.on("error", () => process.kill(pid))
}
