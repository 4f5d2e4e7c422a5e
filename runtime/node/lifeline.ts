import type { ChildProcess } from "node:child_process"
import { codeOf } from "./file-error.ts"
import { killGroup } from "./groups.ts"

/** The variable by which what a program started is found again, wherever it went. */
export const MARK = "KODA_CHILD"

/**
 * Outlives us by a moment. Its input is a pipe of ours: when that ends, however we ended, it kills the groups it was told
 * of, and then everything that carries our mark in its environment (Linux shows it), as long as there is any.
 */
const WATCHER = `
trap "" HUP INT TERM
groups=" "
end() {
  round=0
  while [ $round -lt 50 ]; do
    found=$(grep -lsF "$1" /proc/[0-9]*/environ)
    [ -n "$found" ] || return 0
    for file in $found; do
      pid=\${file#/proc/}
      kill -KILL "\${pid%/environ}" 2>/dev/null
    done
    round=$((round + 1))
  done
}
while read -r verb what; do
  case $verb in
    add) groups="$groups$what " ;;
    drop) case $groups in *" $what "*) groups="\${groups%% $what *} \${groups#* $what }" ;; esac ;;
    end) end "$what" ;;
  esac
done
for group in $groups; do kill -KILL "-$group" 2>/dev/null; done
end "$1"
`

export interface Lifeline {
  /** A mark for one program or more; put into their environment before they start. */
  mark(): string
  /** Call it before a program is started. */
  start(): void
  add(group: number): void
  drop(group: number): void
  /** Kills whatever carries the mark. */
  end(mark: string): void
}

/** One watcher for all we start, begun with the first. */
export function lifeline(): Lifeline {
  let mark: string | undefined
  const own = () => (mark ??= crypto.randomUUID()) // on first use: Node takes 10 ms to load its crypto
  const groups = new Set<number>()
  let watcher: ChildProcess | undefined
  let isPossible = true
  let marks = 0

  /** Without a shell for the watcher, we do what we can when we end in order. */
  const doWithout = () => {
    isPossible = false
    process.on("exit", () => {
      for (const group of groups) killGroup(group)
    })
  }
  if (process.platform === "win32") doWithout()

  const start = () => {
    if (watcher || !isPossible) return
    const { spawn } = process.getBuiltinModule("node:child_process")
    const started = spawn("/bin/sh", ["-c", WATCHER, "koda-lifeline", own()], {
      cwd: "/",
      env: { PATH: `/usr/bin:/bin:${process.env["PATH"] ?? ""}` },
      stdio: ["pipe", "ignore", "ignore"],
      detached: true, // what ends our group must not end it
    })
    watcher = started
    const lost = () => {
      if (watcher === started) watcher = undefined // the next program starts another
    }
    started.once("exit", lost)
    started.once("error", (error) => {
      if (codeOf(error) === "ENOENT" && isPossible) doWithout()
      lost()
    })
    started.stdin?.on("error", lost)
    started.unref()
    unrefStream(started.stdin)
    for (const group of groups) tell("add", group)
  }
  const tell = (verb: "add" | "drop" | "end", what: number | string) => {
    watcher?.stdin?.write(`${verb} ${what}\n`)
  }
  return {
    mark: () => `${own()}.${++marks};`,
    start,
    add(group) {
      groups.add(group)
      tell("add", group)
    },
    drop(group) {
      if (groups.delete(group)) tell("drop", group)
    },
    end(mark) {
      start()
      tell("end", mark)
    },
  }
}

/** An open pipe of ours must not keep the process from ending. */
export function unrefStream(stream: unknown): void {
  const { unref } = (stream ?? {}) as { unref?: () => void }
  unref?.call(stream)
}
