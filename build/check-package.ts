import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startAcp } from "./acp-child.ts"
import { environment, mustRun, ROOT } from "./run.ts"

/** A user of the library; every subpath, with no types of any package but ours. */
const CONSUMER = ["", "/node", "/bun", "/deno"]
  .map(
    (subpath, index) => `import * as m${index} from "koda-acp${subpath}"\nexport const s${index} = m${index}.serve\n`,
  )
  .join("")

/** Packs what `dist/` holds and uses it as a stranger would: installed without scripts and network, started, and compiled against. */
export async function packageErrors(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "koda-package-"))
  try {
    await install(folder)
    return [...(await entryErrors()), ...(await startErrors(folder)), ...(await typeErrors(folder))]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function install(folder: string): Promise<void> {
  const packed = await mustRun(["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder])
  await writeFile(join(folder, "package.json"), `{ "private": true, "type": "module" }`)
  const tarball = join(folder, packed.trim())
  await mustRun(["npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", tarball], {
    cwd: folder,
  })
}

/** Node imports what is named at the top before it runs a line, so that too old a Node could not be told. */
async function entryErrors(): Promise<string[]> {
  const text = await readFile(join(ROOT, "dist/node/main.js"), "utf8")
  const imported = [...text.matchAll(/(?:^|[;\n])import\b(?!\()[^"']*["']([^"']+)["']/g)].map(
    ([, specifier]) => specifier!,
  )
  return imported
    .filter((specifier) => specifier !== "node:process")
    .map((specifier) => `dist/node/main.js imports ${specifier} before it has looked at the version of Node`)
}

async function startErrors(folder: string): Promise<string[]> {
  const program = join(folder, "node_modules/.bin/koda")
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string }
  const said = (await mustRun([program, "--version"], { cwd: folder })).trim()
  const child = startAcp([program, "--acp"], {
    cwd: folder,
    env: { ...environment(), KODA_CLI_HOME: join(folder, "home") },
    heard() {},
    asked: (method) => Promise.reject(new Error(`nothing is to be asked, and it asks ${method}`)),
  })
  const { protocolVersion } = await child.request("initialize", { protocolVersion: 1, clientCapabilities: {} })
  const code = await child.hangUp()
  return [
    ...(said.includes(version) ? [] : [`the installed program says it is "${said}", not ${version}`]),
    ...(protocolVersion === 1 ? [] : [`initialize answers protocolVersion ${protocolVersion}`]),
    ...(code === 0 ? [] : [`the installed program ends with ${code} when its input ends`]),
  ]
}

async function typeErrors(folder: string): Promise<string[]> {
  await mkdir(join(folder, "consumer"))
  await writeFile(join(folder, "consumer/main.ts"), CONSUMER)
  const results = [["NodeNext", "NodeNext"] as const, ["ESNext", "Bundler"] as const].map(
    async ([module, resolution]) => {
      const options = ["--strict", "--noEmit", "--skipLibCheck", "false", "--types", "", "--target", "ESNext"]
      const command = [
        "tsc",
        ...options,
        "--module",
        module,
        "--moduleResolution",
        resolution,
        "consumer/main.ts",
      ] as const
      return await mustRun(command, { cwd: folder }).then(
        () => [],
        (error: Error) => [`types under ${resolution}: ${error.message}`],
      )
    },
  )
  return (await Promise.all(results)).flat()
}
