import { spawn } from "node:child_process"
import { delimiter, join, resolve } from "node:path"

/** The folder of the whole project. */
export const ROOT = resolve(import.meta.dirname, "..")

export interface Outcome {
  code: number
  /** Standard output and standard error as they came. */
  output: string
}

export interface RunOptions {
  cwd?: string
  /** Its output goes to ours as it comes, and is not kept. */
  show?: true
}

/** Runs a program to its end. One that can't be started answers 127. */
export function run(command: readonly [string, ...string[]], options: RunOptions = {}): Promise<Outcome> {
  const [program, ...args] = command
  const child = spawn(program, args, {
    cwd: options.cwd ?? ROOT,
    env: options.show ? environment() : { ...environment(), NO_COLOR: "1" },
    stdio: ["ignore", options.show ? "inherit" : "pipe", options.show ? "inherit" : "pipe"],
  })
  const parts: Buffer[] = []
  child.stdout?.on("data", (part: Buffer) => parts.push(part))
  child.stderr?.on("data", (part: Buffer) => parts.push(part))
  return new Promise((done) => {
    child.once("error", (error) => done({ code: 127, output: `${program}: ${error.message}` }))
    child.once("close", (code) => done({ code: code ?? 1, output: Buffer.concat(parts).toString() }))
  })
}

/** Runs a program that must succeed. Throws with all that it said if it does not. */
export async function mustRun(command: readonly [string, ...string[]], options: RunOptions = {}): Promise<string> {
  const { code, output } = await run(command, options)
  if (code !== 0) throw new Error(`\`${command.join(" ")}\` ended with ${code}\n${output}`)
  return output
}

/** Ours, with the tools of `node_modules/.bin` first, and without keys and settings that belong to the user's own agent. */
export function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(KODA|OPENAI)_/.test(name))
  const path = [join(ROOT, "node_modules/.bin"), process.env.PATH ?? ""].join(delimiter)
  return { ...Object.fromEntries(kept), PATH: path }
}

/** Seconds since a moment that `performance.now()` gave, for people. */
export function secondsSince(begin: number): string {
  return `${((performance.now() - begin) / 1000).toFixed(1)} s`
}
