import type { Processes } from "../runtime.ts"

/** Settings with which git starts nothing of a repository's own choice, and writes nothing. */
const ALWAYS: readonly Setting[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["log.showSignature", "false"],
  ["diff.ignoreSubmodules", "dirty"], // git does not hand our settings on to submodules, which have their own
]

/** An empty program is an error to git, so that these stand in for the repository's. */
const PLAIN_DIFF = `f() { diff -u -L "a/$1" -L "b/$1" "$2" "$5"; true; }; f`
const PLAIN_TEXT = "cat"

/** Settings of a repository that name a program which reading commands of git run. */
const PROGRAMS = "^(diff\\.external|diff\\..*\\.(textconv|command)|filter\\..*\\.(clean|smudge|process))$"

type Setting = readonly [key: string, value: string]

/**
 * The environment in which a reading git command runs no program that the repository in this folder names: no monitor,
 * hook, filter, text converter or diff program. The user's own settings stay.
 */
export async function quietGit(
  processes: Processes,
  folder: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const named = await repositoryPrograms(processes, folder, env, signal).catch(() => [])
  const settings: Setting[] = [...ALWAYS, ...named.map((key): Setting => [key, harmless(key)])]
  const first = Number(env["GIT_CONFIG_COUNT"] ?? 0) || 0
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ])
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(first + settings.length), GIT_OPTIONAL_LOCKS: "0" }
}

function harmless(key: string): string {
  if (key.startsWith("filter.")) return ""
  return key.endsWith(".textconv") ? PLAIN_TEXT : PLAIN_DIFF
}

async function repositoryPrograms(
  processes: Processes,
  folder: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const args = ["config", "--show-scope", "--includes", "--null", "--get-regexp", PROGRAMS] as const
  const child = processes.spawn(["git", ...args], { cwd: folder, env: { ...env }, signal })
  child.exited.catch(() => {})
  const decoder = new TextDecoder()
  let text = ""
  for await (const { from, bytes } of child.output)
    if (from === "stdout") text += decoder.decode(bytes, { stream: true })
  const fields = text.split("\0")
  return fields.flatMap((scope, index) => {
    const isScope = index % 2 === 0
    const key = fields[index + 1]?.split("\n")[0]
    return isScope && key && (scope === "local" || scope === "worktree") ? [key] : []
  })
}
