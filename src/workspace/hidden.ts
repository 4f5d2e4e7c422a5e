import type { Files, FolderEntry } from "../runtime.ts"
import type { Hidden } from "./bubblewrap.ts"
import { isWithin, joinPath } from "./paths.ts"

/** Among the temporary files: where programs outside the sandbox listen, which run what they are told or hold keys. */
const LISTENERS: Partial<Record<FolderEntry["kind"], RegExp>> = {
  folder: /^(?:tmux-\d+|screens|ssh-\w{10,}|emacs\d+|\.X11-unix|\.ICE-unix)$/,
  other: /^(?:dbus-|vscode-)/,
}

/** What there is of these paths now, and of sockets that lead out, but for what lies in a folder one works in. */
export async function hiddenOf(
  files: Files,
  secrets: readonly string[],
  temp: string,
  roots: readonly string[],
): Promise<Hidden[]> {
  const entries = await files.list(temp).catch(() => [])
  const listeners = entries.filter(({ name, kind }) => LISTENERS[kind]?.test(name))
  const paths = [...secrets, ...listeners.map(({ name }) => joinPath(temp, name))]
  const found = await Promise.all(paths.map((path) => lookAt(files, path).catch(() => undefined)))
  return found.filter((one) => one !== undefined).filter(({ path }) => !roots.some((root) => isWithin(root, path)))
}

async function lookAt(files: Files, path: string): Promise<Hidden | undefined> {
  const info = await files.stat(path)
  return info && { path: await files.realPath(path), isFolder: info.kind === "folder" }
}
