import { readdirSync, readFileSync } from "node:fs"

/** MB that a process and all it started hold, each shared page counted by its share. Linux only. */
export function pssMb(pid: number): number {
  return sum(pid, (one) => field(`/proc/${one}/smaps_rollup`, "Pss"))
}

/** The most MB they ever held, each at its own time, shared pages counted in full. */
export function peakMb(pid: number): number {
  return sum(pid, (one) => field(`/proc/${one}/status`, "VmHWM"))
}

/** How many processes they are. */
export function processes(pid: number): number {
  return tree(pid).length
}

function sum(pid: number, kilobytes: (pid: number) => number): number {
  return tree(pid).reduce((total, one) => total + kilobytes(one), 0) / 1024
}

/** A process that has just gone holds nothing. */
function field(path: string, name: string): number {
  try {
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(path, "utf8"))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function tree(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync("/proc")) {
    const parent = parentOf(name)
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const found = [root]
  for (const pid of found) found.push(...(children.get(pid) ?? []))
  return found
}

function parentOf(name: string): number | undefined {
  if (!/^\d+$/.test(name)) return undefined
  try {
    const stat = readFileSync(`/proc/${name}/stat`, "utf8")
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])
  } catch {
    return undefined
  }
}
