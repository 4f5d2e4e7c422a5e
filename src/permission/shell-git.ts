import { checkUsage, type Opened, type Usage } from "./shell-flags.ts"
import { NotPlain, type ShellWord } from "./shell-words.ts"

/** Git commands that change nothing, with the flags that start no program of the repository's choice. */
export function checkGit(args: readonly ShellWord[]): Opened {
  const folders: PlainWord[] = []
  let at = 0
  for (; args[at] && (args[at] as ShellWord).text.startsWith("-"); at++) {
    const flag = (args[at] as ShellWord).text
    if (flag === "-C") folders.push(plainWord(args[++at]))
    else if (flag !== "--no-pager" && flag !== "-P" && flag !== "--no-optional-locks") {
      throw new NotPlain(`uses \`git ${flag}\`, which may change what git runs`)
    }
  }
  const [command, ...rest] = args.slice(at)
  const name = command?.type === "plain" ? command.text : ""
  const usage = Object.hasOwn(GIT, name) ? GIT[name] : undefined
  if (!usage)
    throw new NotPlain(`runs \`git ${command ? command.text : ""}\`, which is not on the list of reading commands`)
  if (rest.some((arg) => /%G|%\(signature/.test(arg.text)))
    throw new NotPlain("checks signatures, for which git starts a program")
  if (rest.some((arg) => /^--ignore-submodules=(?!all$|dirty$)/.test(arg.text)))
    throw new NotPlain("looks into submodules, which have settings of their own")
  if (folders.length > 0 && rest.some(({ type }) => type === "glob"))
    throw new NotPlain("has a pattern that is matched in another folder than git's")
  usage.check?.(rest.map(({ text }) => text))
  const inside = checkUsage(`git ${name}`, usage, rest)
  const ways = [...folders.keys()].map((index) => inFolder(folders[index] as PlainWord, folders.slice(0, index)))
  return {
    ...inside,
    paths: [...ways, ...inside.paths.map((path) => inFolder(path, folders))],
    repositories: [ways.at(-1) ?? { type: "plain", text: "." }],
  }
}

type PlainWord = Extract<ShellWord, { type: "plain" }>

function plainWord(word: ShellWord | undefined): PlainWord {
  if (word?.type !== "plain") throw new NotPlain("does not say in which folder git runs")
  return word
}

/** Where a path leads from the folders of `-C`, one after another. */
function inFolder(path: ShellWord, folders: readonly PlainWord[]): ShellWord {
  if (path.type === "variable" || path.text.startsWith("/")) return path
  const last = folders.findLastIndex(({ text }) => text.startsWith("/"))
  const start = folders.slice(Math.max(0, last)).map(({ text }) => `${text}/`)
  const folder = start.join("")
  if (path.type === "plain") return { type: "plain", text: folder + path.text }
  return { ...path, prefix: folder + path.prefix, pattern: folder + path.pattern }
}

interface GitUsage extends Usage {
  /** Refuses words that would make it change something. */
  check?(words: readonly string[]): void
}

const DIGITS = "0123456789"

const DIFF_LONG =
  "stat shortstat numstat dirstat summary compact-summary name-only name-status patch no-patch patch-with-stat patch-with-raw raw cached staged color no-color word-diff word-diff-regex~ color-words color-moved ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines ignore-cr-at-eol check find-renames find-copies find-copies-harder no-renames diff-filter~ relative no-relative minimal patience histogram diff-algorithm~ anchored~ binary full-index abbrev no-abbrev unified~ inter-hunk-context~ function-context exit-code quiet no-ext-diff no-textconv merge-base no-prefix src-prefix~ dst-prefix~ no-index text pickaxe-regex pickaxe-all ignore-submodules cc combined-all-paths base ours theirs"
const DIFF_FLAGS = `puswWbazqRctmD${DIGITS}`

const DIFF: Usage = { words: "paths", flags: DIFF_FLAGS, attached: "MCBU", texts: "SG", long: DIFF_LONG }

const LOG: Usage = {
  words: "paths",
  flags: `${DIFF_FLAGS}iEFPg`,
  attached: "MCBU",
  texts: "SGnL",
  long: `${DIFF_LONG} oneline graph no-graph decorate no-decorate all branches tags remotes author~ committer~ grep~ all-match invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp since~ until~ after~ before~ max-count~ skip~ pretty format~ follow first-parent merges no-merges min-parents~ max-parents~ reverse date~ abbrev-commit no-abbrev-commit date-order topo-order author-date-order no-walk not cherry-pick cherry-mark cherry left-right left-only right-only boundary simplify-by-decoration full-history ancestry-path relative-date no-notes walk-reflogs no-mailmap decorate-refs~ decorate-refs-exclude~ exclude~ glob~`,
}

/** Branches, tags: with a bare word they would make one, unless they are told to list. */
const REFS: Usage = {
  words: "texts",
  flags: `arvi${DIGITS}`,
  long: "all remotes verbose list show-current contains no-contains merged no-merged points-at sort~ format~ column no-column color no-color ignore-case abbrev no-abbrev",
}

function listsOnly(words: readonly string[]): void {
  const lists = words.some((word) => /^--(?:list|contains|no-contains|merged|no-merged|points-at)(?:=|$)/.test(word))
  const names = words.filter((word, at) => !word.startsWith("-") && !/^--(?:sort|format)$/.test(words[at - 1] ?? ""))
  if (names.length > 0 && !lists) throw new NotPlain(`names \`${names[0]}\`, which git may make`)
}

function startsWith(...commands: readonly string[]): (words: readonly string[]) => void {
  return ([first = ""]) => {
    if (!commands.includes(first))
      throw new NotPlain(`tells git to \`${first}\`, which is not on the list of reading commands`)
  }
}

const GIT: Readonly<Record<string, GitUsage>> = {
  status: {
    words: "paths",
    flags: "sbvz",
    attached: "uM",
    long: "short branch porcelain long verbose show-stash ahead-behind no-ahead-behind renames no-renames find-renames untracked-files ignored ignore-submodules",
  },
  diff: DIFF,
  "diff-tree": { ...DIFF, flags: `${DIFF_FLAGS}rv`, long: `${DIFF_LONG} root no-commit-id pretty format~` },
  "diff-index": DIFF,
  "diff-files": DIFF,
  log: LOG,
  show: LOG,
  shortlog: { ...LOG, flags: "nsec" },
  reflog: {
    ...LOG,
    check: ([first = "show"]) => {
      if (["expire", "delete", "drop", "write"].includes(first)) throw new NotPlain("changes the reflog")
    },
  },
  "rev-list": { ...LOG, long: `${LOG.long} count objects` },
  "rev-parse": {
    words: "paths",
    flags: "q",
    long: "show-toplevel abbrev-ref short git-dir absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository verify symbolic symbolic-full-name show-prefix show-cdup show-superproject-working-tree show-object-format all branches tags remotes quiet git-path=",
  },
  "ls-files": {
    words: "paths",
    flags: "cdmosuiztvk",
    texts: "x",
    long: "cached deleted modified others ignored stage unmerged killed directory no-empty-directory exclude-standard exclude~ error-unmatch full-name abbrev eol deduplicate",
  },
  "ls-tree": { words: "paths", flags: "rdtlz", long: "name-only name-status long full-name full-tree abbrev" },
  blame: {
    words: "paths",
    flags: "wbceflnpst",
    attached: "MC",
    texts: "L",
    long: "porcelain line-porcelain incremental root show-name show-number show-email show-stats date~ since~ abbrev color-lines color-by-age",
  },
  annotate: { words: "paths", flags: "wbceflnpst", texts: "L" },
  branch: { ...REFS, check: listsOnly },
  tag: {
    ...REFS,
    flags: `l${DIGITS}`,
    attached: "n",
    check: (words) => {
      if (!words.some((word) => /^-l/.test(word))) listsOnly(words)
    },
  },
  remote: {
    words: "texts",
    flags: "v",
    long: "verbose push all",
    check: (words) => {
      const [first] = words.filter((word) => !word.startsWith("-"))
      if (first !== undefined && first !== "get-url")
        throw new NotPlain(`tells git to \`remote ${first}\`, which may change something`)
    },
  },
  stash: { ...LOG, words: "texts", check: startsWith("list", "show") },
  worktree: { words: "texts", flags: "vz", long: "porcelain verbose", check: startsWith("list") },
  notes: { words: "texts", check: startsWith("list", "show") },
  bisect: { words: "texts", check: startsWith("log") },
  config: {
    words: "texts",
    long: "get get-all local global system worktree bool int",
    check: (words) => {
      const names = words.filter((word) => !word.startsWith("-"))
      const isOneKey = names.length === 1 && /^[\w-]+\../.test(names[0] ?? "")
      if (!isOneKey && !words.some((word) => word === "--get" || word === "--get-all"))
        throw new NotPlain("may change git's settings")
      const secret = words.find((word) => /token|passw|secret|extraheader|cookie|proxy|credential|\.url$/i.test(word))
      if (secret) throw new NotPlain(`asks git for \`${secret}\`, which may be a secret`)
    },
  },
  "symbolic-ref": { words: "texts", most: 1, flags: "q", long: "short quiet" },
  describe: {
    words: "texts",
    long: "all tags always long abbrev exact-match first-parent contains dirty match~ exclude~ candidates~",
  },
  "merge-base": { words: "texts", flags: "a", long: "all is-ancestor fork-point octopus independent" },
  "name-rev": { words: "texts", long: "tags all name-only always refs~" },
  "for-each-ref": {
    words: "texts",
    long: "sort~ format~ count~ contains no-contains merged no-merged points-at ignore-case",
  },
  "show-ref": { words: "texts", flags: "dqs", long: "head heads tags verify hash quiet abbrev dereference" },
  "show-branch": { words: "texts", flags: "ar", long: "all remotes current list" },
  "cat-file": { words: "texts", flags: "ptse" },
  "count-objects": { words: "texts", flags: "vH" },
  "check-ignore": { words: "paths", flags: "vqn", long: "verbose quiet no-index non-matching" },
  "check-attr": { words: "texts", flags: "a", long: "all cached" },
  cherry: { words: "texts", flags: "v" },
  version: { words: "texts", long: "build-options" },
  grep: {
    words: "pattern",
    flags: `niIwvlLcoqhHEFGPrzpWa${DIGITS}`,
    values: "ABCmf",
    texts: "e",
    walks: "*",
    long: "line-number ignore-case word-regexp invert-match files-with-matches name-only files-without-match count only-matching quiet extended-regexp fixed-strings basic-regexp perl-regexp text cached untracked no-index exclude-standard no-exclude-standard heading break show-function function-context column full-name color no-color and or not all-match recursive no-recursive max-depth~ max-count~ threads~ after-context~ before-context~ context~",
  },
}
