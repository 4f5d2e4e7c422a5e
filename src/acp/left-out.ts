import { isVersionControl, rulesAround } from "../workspace/ignore.ts"
import { pathWithin } from "../workspace/paths.ts"
import type { Workspace } from "../workspace/workspace.ts"

/** Why a file that a prompt refers to is not put into it. The model may still ask for it, if the gate lets it. */
export async function whyLeftOut(path: string, { files, roots }: Workspace): Promise<string | undefined> {
  const [real, ...bounds] = await Promise.all([path, ...roots].map((one) => files.realPath(one)))
  const within = bounds.map((bound) => pathWithin(bound, real as string)).find((one) => one !== undefined)
  if (within === undefined) return "it lies outside of the workspace"
  if (within.split("/").some(isVersionControl)) return "it is version control's own"
  if (isSecretName(path) || isSecretName(real as string)) return "it may hold secrets"
  const isIgnored = (await rulesAround(files, path, roots)) === undefined
  return isIgnored ? "it is ignored" : undefined
}

/** Whether a name is one that secrets are kept under, wherever it lies. */
export function isSecretName(path: string): boolean {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).toLowerCase()
  if (/^\.env(\..+)?$/.test(name)) return !/\.(example|sample|template|dist)$/.test(name)
  return /\.(pem|key|p12|pfx|jks|keystore|kdbx)$|^id_(rsa|dsa|ecdsa|ed25519)$|^\.(netrc|npmrc|pypirc|pgpass)$/.test(
    name,
  )
}
