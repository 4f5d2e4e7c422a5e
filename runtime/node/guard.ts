/** What a program, a dependency or a warning prints by mistake goes to the log; stdout belongs to the protocol. */

type Stdout = typeof process.stdout
type StdoutWrite = Stdout["write"]
export type Print = (text: string) => void

/** The write that reaches stdout, kept from before the guard. */
let real: StdoutWrite | undefined
let isGuarded = false

/** Writes to the true stdout, guarded or not. */
export function stdoutWrite(): StdoutWrite {
  const { stdout } = process // once guarded, it is this that keeps the real one
  return real ?? stdout.write.bind(stdout)
}

/** Turns `process.stdout` to the log. Only who uses the stream pays for it: it is made when it is first asked for. */
export function guardStdout(print: Print): void {
  if (isGuarded) return
  isGuarded = true
  const own = Object.getOwnPropertyDescriptor(process, "stdout")!
  Object.defineProperty(process, "stdout", {
    ...own,
    get: () => {
      const stdout: Stdout = own.get!.call(process)
      if (!real) {
        real = stdout.write.bind(stdout)
        stdout.write = printing(print)
      }
      return stdout
    },
  })
}

/** A stream's `write` that prints. */
export function printing(print: Print): StdoutWrite {
  return ((chunk: string | Uint8Array, encoding?: unknown, done?: unknown) => {
    print(withoutLineEnd(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)))
    const callback = typeof encoding === "function" ? encoding : done
    if (typeof callback === "function") queueMicrotask(() => callback())
    return true
  }) as StdoutWrite
}

/** Bun's and Deno's consoles write past `process.stdout`, and block while nobody reads. */
export function guardConsole(log: Print): void {
  const print = (...values: unknown[]) => log(process.getBuiltinModule("node:util").format(...values))
  const printIfAny = (...values: unknown[]) => values.length > 0 && print(...values)
  const methods = ["log", "info", "debug", "warn", "error", "dirxml", "trace", "timeEnd", "timeLog", "count"] as const
  for (const method of methods) console[method] = print
  console.dir = (value) => print(value)
  console.table = (value) => print(value)
  console.group = printIfAny
  console.groupCollapsed = printIfAny
  console.assert = (holds, ...values) => void (holds || print("Assertion failed:", ...values))
}

function withoutLineEnd(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text
}
