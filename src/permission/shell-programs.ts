import { checkAwk } from "./shell-awk.ts"
import { checkUsage, type Opened, type Usage } from "./shell-flags.ts"
import { checkGit } from "./shell-git.ts"
import {
  checkCommand,
  checkDate,
  checkDiff,
  checkFind,
  checkPs,
  checkSed,
  checkStrings,
  checkTest,
  checkXxd,
} from "./shell-special.ts"
import { NotPlain, type ShellWord } from "./shell-words.ts"

/** What a program opens when it is called so. Throws {@link NotPlain} if it may do more than read. */
export function openedBy(program: string, args: readonly ShellWord[]): Opened {
  if (asksForVersion(program, args)) return NOTHING
  const special = Object.hasOwn(SPECIAL, program) ? SPECIAL[program] : undefined
  if (special) return special(args)
  const usage = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined
  if (!usage) throw new NotPlain(`runs \`${program}\`, which is not on the list of reading commands`)
  return checkUsage(program, usage, args)
}

const NOTHING: Opened = { paths: [], walks: false, unknown: [] }

const SPECIAL: Readonly<Record<string, (args: readonly ShellWord[]) => Opened>> = {
  awk: checkAwk,
  git: checkGit,
  find: checkFind,
  sed: checkSed,
  test: (args) => checkTest(args),
  "[": (args) => {
    if (args.at(-1)?.text !== "]") throw new NotPlain("has a `[` without its `]`")
    return checkTest(args.slice(0, -1))
  },
  date: checkDate,
  ps: checkPs,
  command: checkCommand,
  diff: checkDiff,
  strings: checkStrings,
  xxd: checkXxd,
  /** Prints what it is given, flags and all. */
  echo: (args) => ({ ...NOTHING, unknown: args.filter(({ type }) => type === "variable") }),
  printf: (args) => {
    const [format] = args
    if (format?.type !== "plain" || /^-./.test(format.text)) throw new NotPlain("may give `printf` a flag")
    return { ...NOTHING, unknown: args.filter(({ type }) => type === "variable") }
  },
  jq: (args) => {
    const inside = args.find((arg) =>
      /(?<![.\w])(?:ENV|env|import|include|modulemeta|get_search_list)\b/.test(arg.text),
    )
    if (inside) throw new NotPlain("gives `jq` a filter that reads the environment or other files")
    return checkUsage("jq", JQ, args)
  },
}

const JQ: Usage = {
  words: "pattern",
  flags: "rcnsSeMCajR",
  long: "raw-output compact-output null-input slurp sort-keys exit-status raw-input join-output ascii-output color-output monochrome-output tab stream seq indent~",
}

const GREP: Usage = {
  words: "pattern",
  safe: true,
  flags: "nivwxclLqshHoEFGPabIUVzZT0123456789r", // not `R`, which follows links out of the folder
  values: "fABCm",
  texts: "eD",
  walks: "r",
  long: "line-number ignore-case no-ignore-case invert-match word-regexp line-regexp count files-with-matches files-without-match quiet silent no-messages with-filename no-filename only-matching extended-regexp fixed-strings basic-regexp perl-regexp text null null-data color colour line-buffered byte-offset initial-tab regexp~ file= after-context~ before-context~ context~ max-count~ include~ exclude~ exclude-dir~ binary-files~",
}

const SUM: Usage = {
  words: "paths",
  safe: true,
  flags: "btz", // not `c`, which reads the files that a file names
  long: "binary text tag zero",
}

/** A number may be given with a dash alone: `head -20`. */
const DIGITS = "0123456789"

/** Every program that runs without a question, and where only reading is allowed. */
const PROGRAMS: Readonly<Record<string, Usage>> = {
  ls: {
    words: "paths",
    safe: true,
    flags: "1aAbBcCdDfFgGhHiklmnNopqQrRsStuUvxXZe@", // not `L`, which follows links out of the folder
    values: "ITw",
    long: "all almost-all author directory classify full-time group-directories-first human-readable si inode numeric-uid-gid reverse size no-group color time time-style sort format hide~ ignore~ width~",
  },
  cat: {
    words: "paths",
    safe: true,
    flags: "AbeEnstTuv",
    long: "number number-nonblank show-all show-ends show-tabs squeeze-blank show-nonprinting",
  },
  head: {
    words: "paths",
    safe: true,
    flags: `qvz${DIGITS}`,
    values: "nc",
    long: "lines~ bytes~ quiet silent verbose zero-terminated",
  },
  tail: {
    words: "paths",
    safe: true,
    flags: `fFqrvz${DIGITS}`,
    values: "ncbs",
    long: "lines~ bytes~ follow quiet silent verbose retry sleep-interval~ zero-terminated pid~",
  },
  wc: { words: "paths", safe: true, flags: "clLmw", long: "bytes chars lines words max-line-length total" },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: {
    words: "pattern",
    flags: "nNiSsFwxvlcoPUuHIpqa0.h",
    values: "ABCmMdfEj",
    texts: "egtTr",
    walks: "*",
    long: "line-number no-line-number ignore-case smart-case case-sensitive fixed-strings word-regexp line-regexp invert-match files-with-matches files-without-match count count-matches only-matching pcre2 multiline multiline-dotall unrestricted with-filename no-filename pretty heading no-heading quiet text null hidden no-hidden no-ignore no-ignore-vcs no-ignore-parent files json stats trim color column no-column byte-offset vimgrep passthru type-list no-messages no-config crlf regexp~ file= after-context~ before-context~ context~ max-count~ max-columns~ max-depth~ maxdepth~ max-filesize~ glob~ iglob~ glob-case-insensitive type~ type-not~ replace~ sort~ sortr~ encoding~ engine~ threads~ ignore-file=",
  },
  tree: {
    words: "paths",
    flags: "adfxiqNQpugshDFvtcUrCnAXJ",
    values: "L",
    texts: "IP",
    long: "noreport dirsfirst filesfirst du si gitignore prune inodes device nolinks matchdirs ignore-case sort~ filelimit~ charset~ timefmt~",
  },
  pwd: { words: "texts", flags: "LP" },
  cd: { words: "paths", safe: true, most: 1, flags: "L" },
  type: { words: "texts", safe: true, flags: "afptP" },
  which: { words: "texts", safe: true, flags: "as", long: "all" },
  file: {
    words: "paths",
    flags: "bikLhNnrs0",
    values: "F",
    long: "brief mime mime-type mime-encoding dereference no-dereference extension separator~",
  },
  stat: {
    words: "paths",
    safe: true,
    flags: "fLtxlnqrs",
    texts: "c",
    values: "F",
    long: "file-system dereference terse format~ printf~",
  },
  du: {
    words: "paths",
    safe: true,
    flags: "0abcDhHklmPsSxAgn",
    values: "dBtI",
    long: "all apparent-size bytes total human-readable si summarize max-depth~ block-size~ exclude~ threshold~ one-file-system time",
  },
  df: {
    words: "paths",
    safe: true,
    flags: "ahHiklmPTgbnY",
    values: "Bt",
    long: "all human-readable si inodes local portability print-type total type~ block-size~ output",
  },
  sort: {
    words: "paths",
    flags: "bcCdfghiMmnrRsuVz",
    values: "S",
    texts: "kt",
    long: "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort month-sort numeric-sort version-sort random-sort reverse unique stable zero-terminated merge check key~ field-separator~",
  },
  uniq: {
    words: "paths",
    most: 1,
    flags: "cdDiuz",
    values: "fsw",
    long: "count repeated unique ignore-case zero-terminated skip-fields~ skip-chars~ check-chars~",
  },
  cut: {
    words: "paths",
    safe: true,
    flags: "nsz",
    texts: "bcdf",
    long: "bytes~ characters~ delimiter~ fields~ complement only-delimited output-delimiter~ zero-terminated",
  },
  tr: { words: "texts", safe: true, flags: "cCdstu", long: "complement delete squeeze-repeats truncate-set1" },
  cmp: {
    words: "paths",
    safe: true,
    flags: "blsx",
    values: "in",
    long: "print-bytes verbose quiet silent bytes~ ignore-initial~",
  },
  comm: { words: "paths", safe: true, flags: "123iz", long: "check-order nocheck-order total output-delimiter~" },
  paste: { words: "paths", safe: true, flags: "sz", texts: "d", long: "serial delimiters~" },
  fold: { words: "paths", safe: true, flags: "bs", values: "w", long: "width~ spaces" },
  column: {
    words: "paths",
    safe: true,
    flags: "texnJL",
    texts: "so",
    values: "c",
    long: "table separator~ output-separator~",
  },
  nl: { words: "paths", safe: true, flags: "p", texts: "bdfhilnsvw" },
  tac: { words: "paths", safe: true, flags: "br", texts: "s" },
  rev: { words: "paths", safe: true },
  basename: { words: "texts", safe: true, flags: "az", texts: "s", long: "multiple suffix~ zero" },
  dirname: { words: "texts", safe: true, flags: "z", long: "zero" },
  realpath: {
    words: "paths",
    safe: true,
    flags: "eLmPqsz",
    long: "canonicalize-existing canonicalize-missing relative-to= relative-base= no-symlinks strip",
  },
  readlink: {
    words: "paths",
    safe: true,
    flags: "efmnqsvz",
    long: "canonicalize canonicalize-existing canonicalize-missing no-newline",
  },
  od: {
    words: "paths",
    safe: true,
    flags: "abcdfhilosxvBDeFHILOX",
    values: "AjNtSw",
    long: "address-radix~ skip-bytes~ read-bytes~ format~ output-duplicates",
  },
  hexdump: { words: "paths", safe: true, flags: "bcCdovx", values: "ns" },
  sha1sum: SUM,
  sha224sum: SUM,
  sha256sum: SUM,
  sha384sum: SUM,
  sha512sum: SUM,
  md5sum: SUM,
  b2sum: SUM,
  shasum: { words: "paths", safe: true, flags: "btU0", values: "a", long: "binary text algorithm~" },
  cksum: { words: "paths", safe: true },
  seq: { words: "texts", safe: true, flags: `w${DIGITS}`, texts: "fs" },
  sleep: { words: "texts", safe: true },
  uname: { words: "texts", safe: true, flags: "amnoprsvi", long: "all kernel-name kernel-release machine" },
  id: { words: "texts", safe: true, flags: "gGnruz" },
  whoami: { words: "texts", safe: true },
  groups: { words: "texts", safe: true },
  hostname: { words: "texts", most: 0, flags: "fsiIdA" },
  nproc: { words: "texts", safe: true, long: "all" },
  arch: { words: "texts", most: 0 },
  uptime: { words: "texts", safe: true, flags: "ps" },
  free: { words: "texts", safe: true, flags: "bkmghtw" },
  true: { words: "texts", safe: true },
  false: { words: "texts", safe: true },
  ":": { words: "texts", safe: true },
}

/** Programs that only say their version when asked so, whatever lies in the folder. */
const VERSIONS: Readonly<Record<string, string>> = {
  node: "-v --version",
  npm: "-v --version",
  bun: "-v --version",
  deno: "-V --version",
  python: "-V --version",
  python3: "-V --version",
  ruby: "-v --version",
  perl: "-v --version",
  php: "-v --version",
  java: "-version --version",
  javac: "-version --version",
  gcc: "--version",
  "g++": "--version",
  cc: "--version",
  clang: "--version",
  make: "-v --version",
  cmake: "--version",
  docker: "-v --version",
  bash: "--version",
  curl: "-V --version",
  rg: "-V --version",
  jq: "-V --version",
  git: "-v --version",
}

function asksForVersion(program: string, args: readonly ShellWord[]): boolean {
  const [arg, ...more] = args
  if (arg?.type !== "plain" || more.length > 0 || !Object.hasOwn(VERSIONS, program)) return false
  return (VERSIONS[program] as string).split(" ").includes(arg.text)
}
