import type { Files } from "../runtime.ts"
import type { Json } from "../text/jsonc.ts"
import { changeSettings } from "./change.ts"
import { homeSettingsPath } from "./home.ts"

/** Whether the user has trusted this very folder, whatever links lead to it. */
export async function isTrusted(files: Files, trusted: readonly string[], folder: string): Promise<boolean> {
  if (trusted.length === 0) return false
  const place = await files.realPath(folder).catch(() => undefined)
  if (place === undefined) return false
  if (trusted.includes(place)) return true
  const places = await Promise.all(trusted.map((one) => files.realPath(one).catch(() => undefined)))
  return places.includes(place)
}

/** From now on the settings in this folder hold. */
export async function trustWorkspace(files: Files, home: string, folder: string): Promise<void> {
  const place = await files.realPath(folder)
  await changeTrusted(files, home, (trusted) => (trusted.includes(place) ? trusted : [...trusted, place]))
}

/** Takes the trust back. */
export async function forgetWorkspace(files: Files, home: string, folder: string): Promise<void> {
  const place = await files.realPath(folder).catch(() => folder)
  await changeTrusted(files, home, (trusted) => trusted.filter((one) => one !== place && one !== folder))
}

async function changeTrusted(
  files: Files,
  home: string,
  change: (trusted: readonly Json[]) => readonly Json[],
): Promise<void> {
  await changeSettings(files, homeSettingsPath(home), (old) => {
    const { trustedWorkspaces: trusted } = old
    return { ...old, trustedWorkspaces: change(Array.isArray(trusted) ? trusted : []) }
  })
}
