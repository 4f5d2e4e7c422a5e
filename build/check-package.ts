import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startAcp } from "./acp-child.ts"
import { environment, mustRun, ROOT, run } from "./run.ts"

const PACKAGE = "node_modules/koda-acp"

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
    const checks = [
      entryErrors(),
      oldNodeErrors(folder),
      startErrors(folder),
      importerErrors(folder),
      typeErrors(folder),
    ]
    return (await Promise.all(checks)).flat()
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

/** A Node that is too old is told so in one sentence. This one only says that it is old. */
async function oldNodeErrors(folder: string): Promise<string[]> {
  const pretend = `data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.20.2" })`
  const { code, output } = await run(["node", "--import", pretend, join(folder, PACKAGE, "dist/node/main.js"), "--acp"])
  if (code === 1 && output.trim().split("\n").length === 1 && output.includes("22.13")) return []
  return [`on Node 20 the program must say in one line what it needs and end with 1; it ends with ${code}: ${output}`]
}

/** "koda-acp" alone leads each runtime to its own module. */
async function importerErrors(folder: string): Promise<string[]> {
  const script = `console.log(typeof (await import("koda-acp")).serve, import.meta.resolve("koda-acp"))`
  const importers = {
    node: ["node", "--input-type=module", "-e", script],
    bun: ["bun", "-e", script],
    deno: ["deno", "eval", script],
  } as const
  const results = Object.entries(importers).map(async ([name, command]) => {
    const { output } = await run(command, { cwd: folder })
    const wanted = `/${PACKAGE}/dist/${name}/mod.js`
    const right = output.startsWith("function ") && output.trim().endsWith(wanted)
    return right
      ? []
      : [`${name} must find "koda-acp" at …${wanted} with a function \`serve\`, and finds ${output.trim()}`]
  })
  return (await Promise.all(results)).flat()
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
