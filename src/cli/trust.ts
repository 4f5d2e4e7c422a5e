import type { Runtime } from "../runtime.ts"
import { kodaHome } from "../settings/home.ts"
import { readSettings } from "../settings/settings.ts"
import { forgetWorkspace, trustWorkspace } from "../settings/trust.ts"
import { UsageError } from "./args.ts"
import { print } from "./print.ts"

/** `koda trust`: whose settings hold in full. */
export async function trust(runtime: Runtime, words: readonly string[]): Promise<number> {
  const { files, system } = runtime
  const isJson = words.includes("--json")
  const [first = ".", second, ...more] = words.filter((word) => word !== "--json")
  if (more.length > 0 || first.startsWith("-") || second?.startsWith("-")) {
    throw new UsageError(
      `\`koda trust\` takes a folder, \`list\`, or \`forget\` and a folder, not "${words.join(" ")}"`,
    )
  }
  const home = await kodaHome(system, files)
  if (first === "list" && second === undefined) {
    const { trustedWorkspaces } = (await readSettings(files, { home })).settings
    const none = "No workspace is trusted. `koda trust DIR` trusts one."
    const text = trustedWorkspaces.length === 0 ? none : trustedWorkspaces.join("\n")
    await print(runtime, isJson ? JSON.stringify({ trustedWorkspaces }, null, 2) : text)
    return 0
  }
  if (first === "forget") {
    const folder = absolute(second ?? ".", system)
    await forgetWorkspace(files, home, folder)
    await print(runtime, isJson ? JSON.stringify({ forgotten: folder }, null, 2) : `${folder} is not trusted any more`)
    return 0
  }
  if (second !== undefined) throw new UsageError(`"${second}" stands after the folder; name one folder at a time`)
  const folder = absolute(first, system)
  const info = await files.stat(folder)
  if (info?.kind !== "folder") throw new Error(`There is no folder "${first}"`)
  await trustWorkspace(files, home, folder)
  const { problems } = await readSettings(files, { home, workspace: folder })
  await print(
    runtime,
    isJson
      ? JSON.stringify({ trusted: folder }, null, 2)
      : [`${folder} is trusted: the settings in its .koda hold from the next session on`, ...problems.map(String)].join(
          "\n",
        ),
  )
  return 0
}

/** Where a folder of the command line is. */
function absolute(path: string, { cwd }: { cwd: string }): string {
  const plain = path.replace(/(?<=.)[\\/]+$/, "")
  if (/^(\/|\\|[A-Za-z]:[\\/])/.test(plain)) return plain
  return plain === "." ? cwd : `${cwd}/${plain.replace(/^\.\//, "")}`
}
