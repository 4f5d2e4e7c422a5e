import { createHash } from "node:crypto"
import { copyFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { LICENCES } from "./licences.ts"
import { mustRun, ROOT, secondsSince } from "./run.ts"

/** Bun's names of the machines we ship to. musl is for Alpine, baseline for processors without AVX2. */
const TARGETS = [
  "linux-x64",
  "linux-x64-baseline",
  "linux-x64-musl",
  "linux-x64-musl-baseline",
  "linux-arm64",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-x64-baseline",
  "darwin-arm64",
  "windows-x64",
  "windows-x64-baseline",
  "windows-arm64",
]

/** Without these a binary runs what `bunfig.toml` and `.env` of the user's workspace say. */
const DEAF_TO_THE_WORKSPACE = ["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"]

/** Where the binary for this machine is. */
export const HOST_BINARY = join(ROOT, "dist/bin", process.platform === "win32" ? "koda.exe" : "koda")

if (import.meta.main) {
  if (process.argv.includes("--all")) await buildAll()
  else await report(HOST_BINARY, compile("runtime/bun/main.ts", HOST_BINARY))
}

/** Makes one executable of a program; for another machine if a target is given. */
export async function compile(entry: string, outfile: string, target?: string): Promise<void> {
  await mkdir(join(outfile, ".."), { recursive: true })
  await mustRun([
    "bun",
    "build",
    "--compile",
    "--minify-syntax",
    "--minify-whitespace",
    "--bytecode",
    "--format=esm",
    "--sourcemap=linked",
    ...DEAF_TO_THE_WORKSPACE,
    ...(target ? [`--target=bun-${target}`] : []),
    entry,
    `--outfile=${outfile}`,
  ])
  await rm(`${outfile}.map`, { force: true })
}

/** One binary for each target, named with the version, and their checksums as `sha256sum -c` reads them. */
async function buildAll(): Promise<void> {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string }
  const folder = join(ROOT, "dist/bin")
  const sums: string[] = []
  for (const target of TARGETS) {
    const file = join(folder, `koda-${version}-${target}${target.startsWith("windows") ? ".exe" : ""}`)
    await report(file, compile("runtime/bun/main.ts", file, target))
    sums.push(
      `${createHash("sha256")
        .update(await readFile(file))
        .digest("hex")}  ${basename(file)}\n`,
    )
  }
  await writeFile(join(folder, "SHA256SUMS"), sums.join(""))
  await copyFile(join(ROOT, "dist", LICENCES), join(folder, LICENCES))
}

async function report(file: string, work: Promise<void>): Promise<void> {
  const begin = performance.now()
  await work
  const megabytes = ((await stat(file)).size / 1e6).toFixed(1)
  console.log(`${file.slice(ROOT.length + 1)} (${megabytes} MB) built in ${secondsSince(begin)}`)
}
