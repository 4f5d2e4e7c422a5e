/** What a program, a dependency or a warning prints by mistake goes to the log; stdout belongs to the protocol. */

type Stdout = typeof process.stdout
type StdoutWrite = Stdout["write"]

/** The write that reaches stdout, kept from before the guard. */
let real: StdoutWrite | undefined
let isGuarded = false

/** Writes to the true stdout, guarded or not. */
export function stdoutWrite(): StdoutWrite {
  const { stdout } = process // once guarded, it is this that keeps the real one
  return real ?? stdout.write.bind(stdout)
}

/** Sends all that is printed from now on to `log`. The first call counts. */
export function guardStdout(log: (text: string) => void): void {
  if (isGuarded) return
  isGuarded = true
  guardConsole(log)
  const own = Object.getOwnPropertyDescriptor(process, "stdout")
  if (!own?.get || !own.configurable) {
    guardStream(process.stdout, log)
    return
  }
  // only who uses the stream pays for it: on Bun it takes 10 ms to make
  Object.defineProperty(process, "stdout", {
    configurable: true,
    enumerable: own.enumerable ?? true,
    get: () => {
      const stdout: Stdout = own.get!.call(process)
      if (!real) guardStream(stdout, log)
      return stdout
    },
  })
}

function guardStream(stdout: Stdout, log: (text: string) => void): void {
  real = stdout.write.bind(stdout)
  stdout.write = ((chunk: string | Uint8Array, encoding?: unknown, done?: unknown) => {
    log(withoutLineEnd(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)))
    const callback = typeof encoding === "function" ? encoding : done
    if (typeof callback === "function") queueMicrotask(() => callback())
    return true
  }) as StdoutWrite
}

/** Bun's and Deno's consoles write past `process.stdout`, and block while nobody reads. */
function guardConsole(log: (text: string) => void): void {
  const print = (...values: unknown[]) => log(process.getBuiltinModule("node:util").format(...values))
  const printIfAny = (...values: unknown[]) => values.length > 0 && print(...values)
  const printing = ["log", "info", "debug", "warn", "error", "dirxml", "trace", "timeEnd", "timeLog", "count"] as const
  for (const method of printing) console[method] = print
  console.dir = (value) => print(value)
  console.table = (value) => print(value)
  console.group = printIfAny
  console.groupCollapsed = printIfAny
  console.assert = (holds, ...values) => void (holds || print("Assertion failed:", ...values))
}

function withoutLineEnd(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text
}
