import { programFolders, separatorIn } from "./program-folders.ts"

/** Our own keys, and what would change how a program of ours or of the user's runs. */
const OURS = [
  "KODA_API_KEY",
  "OPENAI_API_KEY",
  "BUN_OPTIONS",
  "BUN_BE_BUN",
  "ELECTRON_RUN_AS_NODE",
  ...["BASH_ENV", "ENV", "CDPATH", "SHELLOPTS", "BASHOPTS", "GLOBIGNORE", "PS4"],
]

/** Would put functions in the place of programs, or have them run others or work elsewhere than in their folder. */
const MISLEADING =
  /^(?:BASH_FUNC_.*|RIPGREP_CONFIG_PATH|GIT_(?:EXTERNAL_DIFF|DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|NAMESPACE|ALTERNATE_.*|TRACE.*))$/

/** Would put colours into output that nobody sees in colour. */
const COLOURS = ["FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM"]

/** Tells programs that nobody is there to answer, page through or look at colours. */
export const UNATTENDED: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  MANPAGER: "cat",
  GIT_PAGER: "cat",
  GIT_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  GH_PROMPT_DISABLED: "1",
  PYTHONUNBUFFERED: "1",
}

/** The environment of a program we start for the user: ours, without our secrets, with the PATH given. */
export function childEnvironment(env: Readonly<Record<string, string>>, path?: string): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !OURS.includes(name))
  return { ...Object.fromEntries(kept), ...(path !== undefined && { PATH: path }) }
}

/** The environment of a shell command that nobody attends to. */
export function commandEnvironment(env: Readonly<Record<string, string>>, path?: string): Record<string, string> {
  const kept = Object.entries(childEnvironment(env, path)).filter(([name]) => !COLOURS.includes(name))
  return { ...Object.fromEntries(kept), ...UNATTENDED }
}

/** The same for a command that runs unasked: only programs of the machine, not of the projects it works in. */
export function readingEnvironment(
  env: Readonly<Record<string, string>>,
  projects: readonly string[],
  home: string,
): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !MISLEADING.test(name))
  const path = env["PATH"]
  return {
    ...Object.fromEntries(kept),
    ...(path !== undefined && { PATH: programFolders(path, projects, home).join(separatorIn(path)) }),
  }
}
