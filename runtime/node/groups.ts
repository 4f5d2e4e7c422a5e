import { killTree, killTreeNow } from "./windows.ts"

/** What a group is given to end by itself, once it was asked. */
const GRACE_MS = 200
const LOOK_MS = 10

/** Asks a group to end, and ends it. */
export async function endGroup(leader: number): Promise<void> {
  if (process.platform === "win32") return killTree(leader)
  signalGroup(leader, "SIGTERM")
  await groupEnds(leader, GRACE_MS)
  signalGroup(leader, "SIGKILL")
}

/** Ends a group while our own process ends: there is no time to ask. */
export function killGroup(leader: number): void {
  if (process.platform === "win32") killTreeNow(leader)
  else signalGroup(leader, "SIGKILL")
}

/** Whether nothing of it runs any more, at the latest after so long. */
export async function groupEnds(leader: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (signalGroup(leader, 0)) {
    if (performance.now() > deadline) return !hasLiving(leader)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return true
}

function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  if (process.platform === "win32") return false
  try {
    return process.kill(-leader, signal)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" // it is there, and another user's
  }
}

/** In a container without an init, the dead stay in their group for ever. */
function hasLiving(leader: number): boolean {
  if (process.platform !== "linux") return true
  const { readdirSync, readFileSync } = process.getBuiltinModule("node:fs")
  return readdirSync("/proc").some((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
      const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      return group === String(leader) && state !== "Z" && state !== "X"
    } catch {
      return false // it ended while we looked
    }
  })
}
