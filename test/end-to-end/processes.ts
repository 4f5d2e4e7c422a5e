import { readdir, readFile } from "node:fs/promises"

export interface Process {
  pid: number
  parent: number
  command: string
}

/** What runs on this machine; what has ended and waits to be noticed does not. */
export async function processes(): Promise<Process[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(pids.map((pid) => processOf(Number(pid)).catch(() => undefined)))
  return found.filter((one) => one !== undefined)
}

async function processOf(pid: number): Promise<Process | undefined> {
  const [stat, command] = await Promise.all([
    readFile(`/proc/${pid}/stat`, "utf8"),
    readFile(`/proc/${pid}/cmdline`, "utf8"),
  ])
  const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return state === "Z" || state === "X"
    ? undefined
    : { pid, parent: Number(parent), command: command.replaceAll("\0", " ").trim() }
}

/** A program and all that descends from it. */
export async function familyOf(pid: number): Promise<Process[]> {
  const all = await processes()
  const family = all.filter((one) => one.pid === pid)
  for (const member of family) family.push(...all.filter(({ parent }) => parent === member.pid))
  return family
}

/** Polls until something is so. The bound is only there to tell what was not. */
export async function eventually(isSo: () => Promise<boolean>, what: () => Promise<string> | string): Promise<void> {
  const end = Date.now() + 20_000
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`Waited in vain: ${await what()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
