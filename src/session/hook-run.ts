import type { Hook } from "../settings/keys.ts"
import { childEnvironment } from "../workspace/environment.ts"
import type { Machine } from "../workspace/machine.ts"

/** What a hook has answered. */
export interface HookAnswer {
  /** Why it objects; undefined if it does not. */
  readonly denied?: string
  /** What it adds for the model. */
  readonly context?: string
  /** Why it gave no answer: it failed, or took too long. */
  readonly failed?: string
}

const TIMEOUT_MS = 60_000
/** Bytes of each of its outputs that are read. */
const MOST = 100_000

/**
 * Runs a hook, which reads the event on its input. Exit code 0 and JSON on its output is an answer; exit code 2 is a no,
 * with what it wrote to its error output as the reason.
 */
export async function runHook(
  { processes, shell, path, system }: Pick<Machine, "processes" | "shell" | "path" | "system">,
  hook: Hook,
  event: object,
  folder: string,
  signal: AbortSignal,
): Promise<HookAnswer> {
  const { command, timeoutMs = TIMEOUT_MS } = hook
  const program = (await shell()).program(command)
  const env = childEnvironment(system.env(), await path())
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const timer = setTimeout(() => stop.abort(new Error(`it took more than ${timeoutMs / 1000} s`)), timeoutMs)
  try {
    const child = processes.spawn(program, { cwd: folder, env, signal: either, input: "pipe" })
    const printed = { stdout: "", stderr: "" }
    const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
    const work = (async () => {
      void feed(child.input, `${JSON.stringify(event)}\n`)
      for await (const { from, bytes } of child.output) {
        if (printed[from].length < MOST) printed[from] += decoders[from].decode(bytes, { stream: true })
      }
      return await child.exited
    })()
    work.catch(() => {}) // told below, or too late to matter
    const { code } = await Promise.race([work, aborted(either)])
    signal.throwIfAborted()
    const errors = printed.stderr.trim()
    if (code === 2) return { denied: errors || "a hook said no" }
    if (code !== 0) return { failed: errors ? `exit code ${code}: ${errors.slice(0, 500)}` : `exit code ${code}` }
    return answerIn(printed.stdout)
  } catch (error) {
    signal.throwIfAborted()
    return { failed: error instanceof Error ? error.message : String(error) }
  } finally {
    clearTimeout(timer)
  }
}

/** What its output says: JSON with `decision`, `reason` and `context`; any other text is context. */
export function answerIn(output: string): HookAnswer {
  const text = output.trim()
  if (text === "") return {}
  if (!text.startsWith("{")) return { context: text }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { failed: `its answer is not JSON: ${text.slice(0, 200)}` }
  }
  const { decision, reason, context } = value as Record<string, unknown>
  if (decision !== undefined && decision !== "allow" && decision !== "deny") {
    return { failed: `"decision" must be "allow" or "deny", not ${JSON.stringify(decision)}` }
  }
  return {
    ...(decision === "deny" && { denied: typeof reason === "string" && reason.trim() ? reason : "a hook said no" }),
    ...(typeof context === "string" && context.trim() !== "" && { context }),
  }
}

/** A program may end without having read its input. */
async function feed(input: WritableStream<Uint8Array> | undefined, text: string): Promise<void> {
  const writer = input?.getWriter()
  await writer?.write(new TextEncoder().encode(text)).catch(() => {})
  await writer?.close().catch(() => {})
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
}
