import type { Tool } from "../agent/tool.ts"
import { canonicalName } from "../agent/tool-names.ts"
import type { Runtime } from "../runtime.ts"
import { didYouMean } from "../text/similar.ts"
import type { Commands } from "../workspace/commands.ts"
import type { Sieve } from "../workspace/ripgrep.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { type Activatable, activateSkill } from "./activate-skill.ts"
import { askQuestions } from "./ask-questions.ts"
import { checkUnderstanding } from "./check-understanding.ts"
import { commandStatus } from "./command-status.ts"
import { editFiles } from "./edit-files.ts"
import { editNotebook } from "./edit-notebook.ts"
import type { Web } from "./fetch-page.ts"
import { generatePlan, type ProposePlan } from "./generate-plan.ts"
import { glob } from "./glob.ts"
import type { Conclude, Inquire } from "./inquiry.ts"
import { listDirectory } from "./list-directory.ts"
import { readFile } from "./read-file.ts"
import { readLints } from "./read-lints.ts"
import { readManyFiles } from "./read-many-files.ts"
import { replace } from "./replace.ts"
import { runShellCommand } from "./run-shell-command.ts"
import { saveMemory } from "./save-memory.ts"
import { searchFileContent } from "./search-file-content.ts"
import { type PublishPlan, todoWrite } from "./todo-write.ts"
import { webFetch } from "./web-fetch.ts"
import { type SearchEngine, webSearch } from "./web-search.ts"
import { writeFile } from "./write-file.ts"

/** All that the tools of a session can reach. */
export interface Reachable {
  workspace: Workspace
  commands: Commands
  /** The user's ripgrep. */
  sieve: Sieve
  /** Where git works for a shell command that only reads; undefined for others. */
  repositories(command: string, folder: string): Promise<readonly string[] | undefined>
  publish: PublishPlan
  inquire: Inquire
  conclude: Conclude
  propose: ProposePlan
  /** Those that can be activated now. */
  skills(): readonly Activatable[]
  lintCommand?: string
  fetch: Runtime["fetch"]
  webFetch: Pick<Web, "allowHosts">
  webSearch?: SearchEngine
}

/** The tools of a session, and what each of them can reach. */
export function toolsFor(reachable: Reachable): Tool[] {
  const { workspace, commands, sieve, repositories, publish, inquire, conclude, propose, skills, lintCommand } =
    reachable
  const { fetch, webSearch: engine } = reachable
  return [
    readFile(workspace),
    readManyFiles(workspace),
    listDirectory(workspace),
    glob(workspace),
    searchFileContent(workspace, { sieve }),
    replace(workspace),
    editFiles(workspace),
    writeFile(workspace),
    editNotebook(workspace),
    saveMemory(workspace),
    runShellCommand(commands, workspace, repositories),
    commandStatus(commands),
    todoWrite(publish),
    generatePlan(propose),
    askQuestions(inquire, conclude),
    checkUnderstanding(inquire, conclude),
    activateSkill(workspace, skills),
    webFetch({ fetch, ...reachable.webFetch }),
    ...(engine === undefined ? [] : [webSearch(fetch, engine)]),
    ...(lintCommand === undefined ? [] : [readLints(commands, workspace, lintCommand)]),
  ]
}

/** Searches of a subagent that take longer are ended, so that it narrows them. In milliseconds. */
const DEADLINE = 20_000

/** What a subagent has in the place of its parent's tools of the same names. */
export function delegatedTools({ workspace, sieve }: Pick<Reachable, "workspace" | "sieve">): Map<string, Tool> {
  const limit = { deadline: DEADLINE }
  const tools = [
    listDirectory(workspace, limit),
    glob(workspace, limit),
    searchFileContent(workspace, { sieve, ...limit }),
  ]
  return new Map(tools.map((tool) => [tool.name, tool]))
}

/** Tools that are left when only some are wanted, or some are not. Names may be aliases. */
export interface Selection {
  /** Undefined: all. */
  core: readonly string[] | undefined
  excluded: readonly string[]
}

/** Tools that only some sessions have. */
const AT_TIMES = ["web_search", "read_lints", "codebase_search"]

/** Names in the lists that are no tool's, in words: where all are misspelt, nothing is left. */
export function misnamed(tools: readonly Tool[], { core = [], excluded }: Selection): string[] {
  const names = [...tools.map(({ name }) => name), ...AT_TIMES]
  const unknown = [...core, ...excluded].filter((name) => {
    return !name.startsWith("mcp__") && !names.includes(canonicalName(name))
  })
  return [...new Set(unknown)].map((name) => {
    return `There is no tool "${name}", by which the tools of this session are chosen${didYouMean(name, names)}`
  })
}

export function selected(tools: readonly Tool[], { core, excluded }: Selection): Tool[] {
  const wanted = core && new Set(core.map(canonicalName))
  const unwanted = new Set(excluded.map(canonicalName))
  return tools.filter(({ name }) => (!wanted || wanted.has(name)) && !unwanted.has(name))
}
