/** What a program in the sandbox may do. */
export interface Bounds {
  /** Folders in which it may write. Absolute, without links. */
  readonly writable: readonly string[]
  /** One more, in which what is hidden stays hidden. */
  readonly temp?: string
  /** What it may not even read. All of it is there, and none is within a folder of `writable`. */
  readonly hidden: readonly Hidden[]
  readonly network: boolean
}

export interface Hidden {
  readonly path: string
  readonly isFolder: boolean
}

/** What has been learnt of the machine. */
export interface Ground {
  readonly hasRun: boolean
  readonly isRoot: boolean
}

/** What root may still do: files and users. Whoever may mount would make all of it writable again. */
const ROOT_MAY = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID"]

/** Parts of /run without which there are no names of hosts, or, on some systems, no programs. */
const NAMES = ["/run/systemd/resolve", "/run/NetworkManager/resolv.conf", "/run/resolvconf"]
const PROGRAMS = ["/run/current-system", "/run/wrappers"]

/**
 * How `bwrap` starts a program that sees the whole file system but keys, and can write only in these folders. It has
 * processes of its own alone, and none of them outlives it.
 */
export function bubblewrapped(
  bwrap: string,
  { writable, temp, hidden, network }: Bounds,
  { hasRun, isRoot }: Ground,
  program: readonly string[],
  folder: string,
): readonly [string, ...string[]] {
  const seen = hasRun ? [...PROGRAMS, ...(network ? NAMES : [])] : []
  return [
    bwrap,
    ...[writable.includes("/") ? "--bind" : "--ro-bind", "/", "/"],
    ...["--dev", "/dev"],
    ...["--proc", "/proc"],
    // sockets of programs outside, through which they could be made to do what is not allowed here
    ...(hasRun ? ["--tmpfs", "/run"] : []),
    ...seen.flatMap((path) => ["--ro-bind-try", path, path]),
    ...(temp === undefined ? [] : ["--bind-try", temp, temp]),
    // an empty file: one that can't be read makes programs fail
    ...hidden.flatMap(({ path, isFolder }) => (isFolder ? ["--tmpfs", path] : ["--dev-bind", "/dev/null", path])),
    ...writable.filter((path) => path !== "/").flatMap((path) => ["--bind-try", path, path]),
    ...(network ? [] : ["--unshare-net"]),
    ...["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--new-session"],
    ...(isRoot ? ["--cap-drop", "ALL", ...ROOT_MAY.flatMap((name) => ["--cap-add", `CAP_${name}`])] : []),
    ...["--chdir", folder],
    "--",
    ...program,
  ]
}
