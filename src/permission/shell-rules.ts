import type { ShellWord } from "./shell-words.ts"

/**
 * What must be allowed for a command that does more than read: its program and subcommand. Undefined if it is so
 * dangerous, or its text tells so little, that it is asked for every time. The same function says what is remembered
 * and what is allowed, so that an answer always covers the next call like it.
 */
export function ruleOfWords(program: string, args: readonly ShellWord[]): string | undefined {
  const words = args.flatMap((arg) => (arg.type === "plain" ? [arg.text] : []))
  return words.length < args.length ? undefined : ruleOf(program, words)
}

/** The same of a program and its words. */
export function ruleOf(program: string, args: readonly string[]): string | undefined {
  if (!/^[\w.@+-][\w.@+/-]*$|^\.{0,2}\/[\w.@+/-]+$/.test(program) || NEVER.has(nameOf(program))) return undefined
  const [first = "", second = ""] = args
  if (program === "git") return gitRule(args)
  const interpreter = INTERPRETERS[program]
  if (interpreter && Object.hasOwn(INTERPRETERS, program)) return interpretedRule(program, interpreter, args)
  const commands = Object.hasOwn(COMMANDS, program) ? COMMANDS[program] : undefined
  if (commands) {
    if (!commands.split(" ").includes(first)) return undefined
    const names = ["run", "run-script", "task"].includes(first)
    if (names && !isName(second)) return undefined
    return names ? `${program} ${first} ${second}` : `${program} ${first}`
  }
  if (SINGLE.has(program)) return program
  if (program === "make" || program === "just") return args.every(isTarget) ? [program, ...args].join(" ") : undefined
  // Of a program that is not known, which words choose what it does is not known either.
  return args.every(isPlain) ? [program, ...args].join(" ") : undefined
}

function isPlain(word: string): boolean {
  return /^[\w@%+=:,./-]+$/.test(word)
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1)
}

/** A subcommand or the name of a script or package, and no path, flag or sentence. */
function isName(word: string): boolean {
  return /^@?[A-Za-z][\w:.@/-]*$/.test(word) && !word.includes("..")
}

function isTarget(word: string): boolean {
  return isName(word) || /^-(?:[jkBsn]|j\d+)$/.test(word)
}

function gitRule([command = "", ...rest]: readonly string[]): string | undefined {
  if (command === "push") {
    // `+main` is forced, `:main` deletes.
    const isPlain = rest.every((word) => PUSH_FLAGS.test(word) || /^[^-+:][^:]*$/.test(word))
    return isPlain ? "git push" : undefined
  }
  const isDangerous = rest.some((word) => GIT_DANGERS.test(word) || word.startsWith("ext::"))
  return GIT.has(command) && !isDangerous ? `git ${command}` : undefined
}

/** Only what keeps what there was. */
const GIT: ReadonlySet<string> = new Set("add commit pull fetch merge cherry-pick revert switch mv init".split(" "))
const PUSH_FLAGS = /^(?:-[unvq]+|--(?:set-upstream|dry-run|tags|verbose|quiet|porcelain|progress))$/
/** Forces, deletes, skips checks, or names a program to run; long flags may be cut short. */
const GIT_DANGERS = /^(?:--(?:f|de|di|mi|pru|up|rec|ex|no-ver|te)|-[A-Za-z]*[fdDMnC])/

function interpretedRule(
  program: string,
  kind: "file" | "module" | "command",
  args: readonly string[],
): string | undefined {
  const [first = "", second = ""] = args
  if (kind === "module" && first === "-m") return isName(second) ? `${program} -m ${second}` : undefined
  if (kind === "command") {
    const isRun = first === "run" || first === "test" || first === "task" || first === "install" || first === "add"
    if (!isRun) return undefined
    if (first === "run" || first === "task") return isScript(second) ? `${program} ${first} ${second}` : undefined
    return `${program} ${first}`
  }
  return isScript(first) ? `${program} ${first}` : undefined
}

function isScript(word: string): boolean {
  return /^[\w@./][\w@./:+-]*$/.test(word)
}

/** They run what they are given: only with a script or module that is named. */
const INTERPRETERS: Readonly<Record<string, "file" | "module" | "command">> = {
  node: "file",
  tsx: "file",
  "ts-node": "file",
  ruby: "file",
  perl: "file",
  php: "file",
  python: "module",
  python3: "module",
  deno: "command",
  bun: "command",
}

/** Of these, only such commands; others publish, delete, or run anything. */
const COMMANDS: Readonly<Record<string, string>> = {
  npm: "test t run run-script install i ci ls outdated view pack",
  pnpm: "test t run install i add build lint ls outdated",
  yarn: "test run install add build lint",
  cargo: "build test check clippy fmt run bench doc add tree",
  go: "build test vet fmt run mod generate list",
  docker: "ps images logs build inspect",
  podman: "ps images logs build inspect",
  kubectl: "get describe logs",
  pip: "install list show freeze",
  pip3: "install list show freeze",
  uv: "sync lock add",
  poetry: "install add lock build",
  dotnet: "build test restore format",
  mvn: "test compile package verify",
  gradle: "test build check assemble",
  "./gradlew": "test build check assemble",
  "./mvnw": "test compile package verify",
  npx: "vitest jest tsc eslint prettier biome mocha playwright vite",
  bunx: "vitest jest tsc eslint prettier biome mocha playwright vite",
}

/** They have no subcommands: their first word is what they work on. */
const SINGLE: ReadonlySet<string> = new Set(
  "mkdir touch cp mv ln tsc eslint prettier jest pytest mypy ruff black flake8 rustfmt gofmt cmake ninja clang-format".split(
    " ",
  ),
)

/** Asked for every time: they run others, destroy, reach out, or change who may do what. */
const NEVER: ReadonlySet<string> = new Set(
  (
    "rm rmdir unlink shred dd truncate mkfs fdisk mount umount chmod chown chgrp chattr setfacl sudo su doas pkexec " +
    "kill killall pkill reboot shutdown halt poweroff systemctl service launchctl crontab at batch " +
    "sh bash zsh dash ksh fish csh tcsh pwsh powershell cmd eval exec source . command builtin env printenv export set " +
    "unset alias trap pushd popd cd xargs parallel nice nohup setsid timeout watch time stdbuf script expect strace gdb " +
    "ssh scp sftp rsync curl wget nc ncat netcat telnet socat ftp find fd sed awk gawk mawk perl5 tee tar zip unzip " +
    "install gh brew apt apt-get dnf yum pacman git-filter-repo terraform aws gcloud az helm ansible vagrant osascript open xdg-open busybox vi vim nvim " +
    "emacs nano ed less more man security gpg pass op read mapfile history fc hash ulimit umask wait jobs fg bg disown"
  ).split(" "),
)
