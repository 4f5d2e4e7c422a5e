import { credentialsPath, gatewayOf } from "../model/gateway.ts"
import { readJson } from "../model/json-file.ts"
import type { Runtime } from "../runtime.ts"
import { kodaHome } from "../settings/home.ts"

/** Whether there is a key for the gateway: in the environment, or kept by `koda login`. */
export async function holdsGatewayKey({ files, system }: Pick<Runtime, "files" | "system">): Promise<boolean> {
  const env = system.env()
  if (gatewayOf(env, {})?.apiKey !== undefined) return true
  const credentials = await readJson(files, credentialsPath(await kodaHome(system, files))).catch(() => ({}))
  return gatewayOf(env, credentials)?.apiKey !== undefined
}
