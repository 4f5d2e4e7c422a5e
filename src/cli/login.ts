import { shownUrl } from "../model/base-url.ts"
import { credentialsPath, forgetKey, gatewayOf, saveKey } from "../model/gateway.ts"
import { readJson } from "../model/json-file.ts"
import { askForModels } from "../model/model-list.ts"
import type { Runtime } from "../runtime.ts"
import { kodaHome } from "../settings/home.ts"

/** How long the gateway may take to say whether it knows the key, in milliseconds. */
const CHECK_MS = 5_000

/** Asks for the gateway's key, or takes it from the pipe, keeps it for the user alone to read, and tries it. */
export async function login({ stdio, files, system, fetch }: Runtime): Promise<number> {
  if (stdio.isTerminal) stdio.log("The gateway's key (it is shown as you type):")
  const apiKey = (await firstLine(stdio.input)).trim()
  if (apiKey === "") throw new Error("No key was given; nothing has changed")
  const home = await kodaHome(system, files)
  const { KODA_BASE_URL: baseUrl, KODA_API_KEY: other, ...env } = system.env()
  await saveKey(files, home, { apiKey, ...(baseUrl !== undefined && { baseUrl }) })
  stdio.log(`The key is kept in ${home}/credentials.json`)
  if (other !== undefined && other !== apiKey) stdio.log("KODA_API_KEY is set, and comes before it")
  const gateway = gatewayOf(env, await readJson(files, credentialsPath(home)))
  if (!gateway) {
    stdio.log("Set KODA_BASE_URL to the gateway's address where koda runs")
    return 0
  }
  const answer = await askForModels(gateway, fetch, AbortSignal.timeout(CHECK_MS))
  const url = shownUrl(gateway.baseUrl)
  const isGood = answer.status === "ok"
  stdio.log(
    isGood ? `${url} takes it, and has ${modelsIn(answer.models)}` : `No models came from ${url}: ${answer.why}`,
  )
  return answer.status === "refused" ? 1 : 0
}

function modelsIn({ length }: readonly unknown[]): string {
  return length === 1 ? "one model" : `${length} models`
}

export async function logout({ stdio, files, system }: Runtime): Promise<number> {
  const home = await kodaHome(system, files)
  const forgotten = await forgetKey(files, home)
  stdio.log(forgotten ? "The key is forgotten" : "There was no key")
  return 0
}

async function firstLine(input: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const bytes of input) {
    text += decoder.decode(bytes, { stream: true })
    const end = text.indexOf("\n")
    if (end >= 0) return text.slice(0, end)
  }
  return text
}
