import { abortable } from "../agent/abortable.ts"

/**
 * A search that is ended when it takes longer than it may, with an error that asks to narrow it; without a limit it ends
 * with the signal alone. Does not wait for what does not listen.
 */
export async function within<T>(
  limit: number | undefined,
  signal: AbortSignal,
  search: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (limit === undefined) return abortable(search(signal), signal)
  const deadline = AbortSignal.timeout(limit)
  const either = AbortSignal.any([signal, deadline])
  try {
    return await abortable(search(either), either)
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error
    throw new Error(
      `This took longer than ${limit / 1000} s and was ended. Narrow it: name a folder further down, or a tighter pattern.`,
    )
  }
}
