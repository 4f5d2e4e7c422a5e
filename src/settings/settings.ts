import { FileError, type Files } from "../runtime.ts"
import { type Checked, checkSettings } from "./check.ts"
import { homeSettingsPath, workspaceSettingsPath } from "./home.ts"
import { DEFAULTS, type Settings } from "./keys.ts"
import { merged, narrowed } from "./merge.ts"
import { SettingsError } from "./settings-error.ts"
import { isTrusted } from "./trust.ts"

/** Whose settings are read. */
export interface SettingsPlace {
  /** Koda home. */
  home: string
  /** The folder of the session. */
  workspace?: string
  /** The one name of a tool that goes by several. */
  toolName?(name: string): string
}

export interface SettingsRead {
  settings: Settings
  /** Those of Koda home alone. */
  own: Settings
  /** What in the files can't be used; the rest is. */
  problems: readonly SettingsError[]
  /** False if a file was not read to its end: it has a mistake, or is being written. */
  isWhole: boolean
  /** Keys of the workspace that do not hold, because the user has not trusted it. */
  leftOut: readonly string[]
  /** Whether the user has trusted the workspace. */
  trusted: boolean
}

/** The settings in force: the workspace's over those of Koda home, as far as the user has trusted it. */
export async function readSettings(files: Files, place: SettingsPlace): Promise<SettingsRead> {
  const { home, workspace, toolName = (name) => name } = place
  const [ours, theirs] = await Promise.all([
    readOne(files, homeSettingsPath(home)),
    workspace === undefined ? NOTHING : readOne(files, workspaceSettingsPath(workspace)),
  ])
  const trusted = workspace !== undefined && (await isTrusted(files, ours.said.trustedWorkspaces ?? [], workspace))
  const { said, leftOut } = (trusted ? merged : narrowed)(ours.said, theirs.said, toolName)
  return {
    settings: { ...DEFAULTS, ...said },
    own: { ...DEFAULTS, ...ours.said },
    problems: [...ours.problems, ...theirs.problems],
    isWhole: ours.isWhole && theirs.isWhole,
    leftOut,
    trusted,
  }
}

/**
 * Yields whenever a settings file of this place may have changed, until the signal aborts. Read them again then.
 */
export async function* watchSettings(files: Files, place: SettingsPlace, signal: AbortSignal): AsyncIterable<void> {
  const { home, workspace } = place
  const paths = [homeSettingsPath(home), ...(workspace === undefined ? [] : [workspaceSettingsPath(workspace)])]
  const folders = paths.map((path) => path.slice(0, path.lastIndexOf("/")))
  const names = new Set(paths.map((path) => path.replaceAll("\\", "/")))
  for await (const changed of files.watch(folders, signal)) {
    if (changed.some((path) => names.has(path.replaceAll("\\", "/")))) yield
  }
}

const NOTHING: Checked = { said: {}, problems: [], isWhole: true }

async function readOne(files: Files, path: string): Promise<Checked> {
  try {
    return checkSettings(path, await files.readText(path))
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    if (error.code === "not_found" || error.code === "not_folder") return NOTHING
    const problems = [new SettingsError(path, 1, `can't be read: ${error.message}`)]
    return { said: {}, problems, isWhole: false }
  }
}
