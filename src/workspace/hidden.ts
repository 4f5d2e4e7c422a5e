import type { Files } from "../runtime.ts"
import type { Hidden } from "./bubblewrap.ts"
import { isWithin, joinPath } from "./paths.ts"

/** Where programs outside the sandbox listen, among the temporary files, and do what they are told or hold keys. */
const LISTENERS = /^(?:tmux-|screen|ssh-|emacs|dbus-|vscode-|com\.apple\.launchd\.|\.(?:X11|ICE)-unix$)/

/** What there is of these paths now, and of sockets that lead out, but for what lies in a folder one works in. */
export async function hiddenOf(
  files: Files,
  secrets: readonly string[],
  temp: string,
  roots: readonly string[],
): Promise<Hidden[]> {
  const entries = await files.list(temp).catch(() => [])
  const listeners = entries.filter(({ name, kind }) => kind !== "link" && LISTENERS.test(name))
  const paths = [...secrets, ...listeners.map(({ name }) => joinPath(temp, name))]
  const found = await Promise.all(paths.map((path) => lookAt(files, path).catch(() => undefined)))
  return found.filter((one) => one !== undefined).filter(({ path }) => !roots.some((root) => isWithin(root, path)))
}

async function lookAt(files: Files, path: string): Promise<Hidden | undefined> {
  const info = await files.stat(path)
  return info && { path: await files.realPath(path), isFolder: info.kind === "folder" }
}
