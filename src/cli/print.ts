import type { Runtime } from "../runtime.ts"

/** Writes text and a line end to standard output. */
export async function print({ stdio }: Pick<Runtime, "stdio">, text: string): Promise<void> {
  const writer = stdio.output.getWriter()
  await writer.write(new TextEncoder().encode(`${text}\n`))
  writer.releaseLock()
}
