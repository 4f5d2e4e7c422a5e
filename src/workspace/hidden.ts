import type { Files, FolderEntry } from "../runtime.ts"
import type { Hidden } from "./bubblewrap.ts"
import type { Machine } from "./machine.ts"
import { isWithin, joinPath } from "./paths.ts"

/** Among the temporary files: where programs outside the sandbox listen, which run what they are told or hold keys. */
const LISTENERS: Partial<Record<FolderEntry["kind"], RegExp>> = {
  folder: /^(?:tmux-\d+|screens|ssh-\w{10,}|emacs\d+|\.X11-unix|\.ICE-unix)$/,
  other: /^(?:dbus-|vscode-)/,
}

/** The same from a user's home: machines and containers that do what they are told, and agents with keys. */
const AT_HOME = [".docker/run", ".docker/desktop", ".colima", ".lima", ".rd/docker.sock", ".orbstack/run", ".1password"]
const PODMAN = ".local/share/containers/podman/machine"

/** What there is of these paths now, and of sockets that lead out, but for what lies in a folder one works in. */
export async function hiddenOf(
  { files, system }: Pick<Machine, "files" | "system">,
  secrets: readonly string[],
  temp: string,
  roots: readonly string[],
): Promise<Hidden[]> {
  const entries = await files.list(temp).catch(() => [])
  const listeners = entries.filter(({ name, kind }) => LISTENERS[kind]?.test(name))
  const paths = [
    ...secrets,
    ...[...AT_HOME, PODMAN].map((path) => joinPath(system.home, path)),
    ...listeners.map(({ name }) => joinPath(temp, name)),
    ...(await socketsIn(files, system.env())),
  ]
  const found = await Promise.all(paths.map((path) => lookAt(files, path).catch(() => undefined)))
  return found.filter((one) => one !== undefined).filter(({ path }) => !roots.some((root) => isWithin(root, path)))
}

/** The sockets that an environment names: `SSH_AUTH_SOCK`, `DOCKER_HOST`, `TMUX` and their like. */
async function socketsIn(files: Files, env: Readonly<Record<string, string>>): Promise<string[]> {
  const named = Object.values(env).flatMap((value) => value.match(/(?<![^=:])\/[^,;:=]+/g) ?? [])
  const kinds = await Promise.all(named.map((path) => files.stat(path).catch(() => undefined)))
  return named.filter((path, index) => kinds[index]?.kind === "other" && !path.startsWith("/dev/"))
}

async function lookAt(files: Files, path: string): Promise<Hidden | undefined> {
  const info = await files.stat(path)
  return info && { path: await files.realPath(path), isFolder: info.kind === "folder" }
}
