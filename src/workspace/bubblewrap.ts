/** What a program in the sandbox may do. */
export interface Bounds {
  /** Folders in which it may write. Absolute. */
  readonly writable: readonly string[]
  readonly network: boolean
}

/**
 * How `bwrap` starts a program that sees the whole file system and can write only in these folders. It has processes of
 * its own alone, and none of them outlives it.
 */
export function bubblewrapped(
  bwrap: string,
  { writable, network, hasRun }: Bounds & { hasRun: boolean },
  program: readonly string[],
  folder: string,
): readonly [string, ...string[]] {
  return [
    bwrap,
    ...["--ro-bind", "/", "/"],
    ...["--dev", "/dev"],
    ...["--proc", "/proc"],
    // sockets of programs outside, through which they could be made to do what is not allowed here
    ...(hasRun ? ["--tmpfs", "/run"] : []),
    ...(hasRun && network ? ["--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"] : []),
    ...writable.flatMap((path) => ["--bind", path, path]),
    ...(network ? [] : ["--unshare-net"]),
    ...["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--new-session"],
    ...["--chdir", folder],
    "--",
    ...program,
  ]
}
