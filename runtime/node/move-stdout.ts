/**
 * Gives stdout a number that nobody knows, and leaves number 1 to nothing: on Linux any child can open its parent's
 * `/proc/…/fd/1`, and would write between the frames. Only a pipe can be opened so; else, 1 stays what it is.
 */
export function moveStdout(): number {
  if (process.platform !== "linux") return 1
  const { closeSync, fstatSync, openSync } = process.getBuiltinModule("node:fs")
  try {
    if (!fstatSync(1).isFIFO()) return 1
    const own = openSync("/proc/self/fd/1", "a")
    closeSync(1)
    openSync("/dev/null", "w") // takes the lowest number that is free, which is 1
    return own
  } catch {
    return 1 // no /proc, or no stdout: what there is serves
  }
}
