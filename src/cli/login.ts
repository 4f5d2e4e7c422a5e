import { forgetKey, saveKey } from "../model/gateway.ts"
import type { Runtime } from "../runtime.ts"
import { kodaHome } from "../settings/home.ts"

/** Asks for the gateway's key, or takes it from the pipe, and keeps it for the user alone to read. */
export async function login({ stdio, files, system }: Runtime): Promise<number> {
  if (stdio.isTerminal) stdio.log("The gateway's key (it is shown as you type):")
  const apiKey = (await firstLine(stdio.input)).trim()
  if (apiKey === "") throw new Error("No key was given; nothing has changed")
  const home = await kodaHome(system, files)
  const baseUrl = system.env()["KODA_BASE_URL"]
  await saveKey(files, home, { apiKey, ...(baseUrl !== undefined && { baseUrl }) })
  stdio.log(`The key is kept in ${home}/credentials.json`)
  if (baseUrl === undefined) stdio.log("Set KODA_BASE_URL to the gateway's address where koda runs")
  return 0
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
