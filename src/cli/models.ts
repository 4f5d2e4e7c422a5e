import { createCore } from "../acp/core.ts"
import type { Launch } from "../acp/launch.ts"
import type { ModelEntry } from "../model/offers.ts"
import { LONGEST_LIST } from "../model/server-lists.ts"
import type { Runtime } from "../runtime.ts"
import { UsageError } from "./args.ts"
import { print } from "./print.ts"

/** `koda models`: the models that a session here could use. */
export async function models(runtime: Runtime, launch: Launch, words: readonly string[]): Promise<number> {
  const [first = "list", ...more] = words.filter((word) => word !== "--json")
  if (first !== "list" || more.length > 0) throw new UsageError(`\`koda models\` lists them, and knows no "${first}"`)
  const core = await createCore(runtime, launch)
  const signal = AbortSignal.timeout(LONGEST_LIST)
  try {
    const read = await core.settingsFor(runtime.system.cwd)
    await core.catalog.ready(signal, LONGEST_LIST)
    await core.catalog.checkGateway(signal).catch(() => {}) // told below
    await core.catalog.probeLocal(read.settings.localModels, signal).catch(() => {}) // nothing there is no failure
    const { model } = core.first(read).dials
    const all = core.catalog.list()
    const text = all.map((entry) => row(entry, entry.modelId === model)).join("\n")
    const value = { models: all.map((entry) => ({ ...entry, isDefault: entry.modelId === model })) }
    await print(runtime, words.includes("--json") ? JSON.stringify(value, null, 2) : text)
    for (const { words } of core.catalog.problems()) runtime.stdio.log(`koda: ${words}`)
    return 0
  } finally {
    await core.close()
  }
}

function row({ modelId, name, source, contextWindow, reasoning }: ModelEntry, isDefault: boolean): string {
  const more = [
    source,
    contextWindow !== undefined && `${contextWindow.toLocaleString("en")} tokens`,
    reasoning && `efforts ${reasoning.supportedEfforts.join(", ")}`,
    name !== modelId && name,
  ].filter((part) => typeof part === "string" && part !== "")
  return `${isDefault ? "*" : " "} ${modelId}  ${more.join("; ")}`
}
