import { dirname, relative, resolve } from "node:path"
import { ROOT } from "./run.ts"
import { readSources, type Sources } from "./sources.ts"

/** What nearly all stands on. */
const GROUND = ["src/runtime.ts", "src/clock.ts", "src/text"]
/** What an agent is made of. */
const PARTS = ["src/agent", "src/workspace", "src/settings", "src/subagents"]
/** What a session is made of. */
const OF_SESSION = [...GROUND, ...PARTS, "src/model", "src/permission", "src/instructions", "src/tools", "src/mcp"]

/** Which parts of the tree each part may import besides itself. The first that a path begins with is its part. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "src/runtime.ts": [],
  "src/clock.ts": [],
  "src/version.ts": [],
  "src/agent": [],
  "src/text": [],
  "src/jsonrpc": [],
  "src/model": [...GROUND, "src/agent"],
  "src/permission": [...GROUND, "src/agent"],
  "src/workspace": GROUND,
  "src/settings": GROUND,
  "src/instructions": [...GROUND, "src/agent", "src/workspace", "src/settings"],
  "src/subagents": [...GROUND, "src/agent", "src/workspace", "src/settings"],
  "src/tools": [...GROUND, ...PARTS],
  "src/mcp": [...GROUND, ...PARTS],
  "src/session": OF_SESSION,
  "src/acp": [...OF_SESSION, "src/jsonrpc", "src/session", "src/version.ts"],
  "src/serve": ["src/acp", "src/runtime.ts"],
  "src/cli": [
    ...GROUND,
    "src/acp",
    "src/serve",
    "src/session",
    "src/subagents",
    "src/mcp",
    "src/settings",
    "src/model",
    "src/version.ts",
  ],
  "src/mod.ts": ["src/acp", "src/agent", "src/jsonrpc", "src/permission", "src/runtime.ts"],
  "runtime/node": ["src/runtime.ts", "src/mod.ts", "src/cli"],
  "runtime/bun": ["src/runtime.ts", "src/mod.ts", "src/cli", "runtime/node"],
  "runtime/deno": ["src/runtime.ts", "src/mod.ts", "src/cli", "runtime/node"],
}

/** The npm packages, each with the parts that may import it. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  valibot: ["src/acp", "src/tools", "src/settings", "src/model", "src/mcp"],
  "@valibot/to-json-schema": ["src/tools", "src/settings"],
  openai: ["src/model"],
  yaml: ["src/model", "src/text"],
  tokenx: ["src/model", "src/text"],
  turndown: ["src/text"],
  "@joplin/turndown-plugin-gfm": ["src/text"],
  diff: ["src/workspace", "src/tools"],
  unbash: ["src/permission"],
  "@agentclientprotocol/sdk": ["src/acp"],
  "@modelcontextprotocol/sdk": ["src/mcp"],
}

/** Packages of which `src` uses the types alone: their code is too slow, or does what ours must do otherwise. */
const TYPES_ONLY = ["@agentclientprotocol/sdk"]

const STATIC = /^(?:import|export)\s+(type\s+)?(?:[\w\s{},*$]+?\sfrom\s+)?["']([^"']+)["']/gm
const DYNAMIC = /\bimport\(\s*["']([^"']+)["']/g

export interface Import {
  /** A path from the root; packages and `node:` modules by their names. */
  target: string
  kind: "code" | "types" | "later"
}

if (import.meta.main) {
  const errors = importErrors(await readSources(ROOT, ["src", "runtime"]))
  for (const error of errors) console.error(error)
  process.exitCode = errors.length > 0 ? 1 : 0
}

/** What in the sources breaks the table, one line each. */
export function importErrors(sources: Sources): string[] {
  const graph = new Map([...sources].map(([file, text]) => [file, importsOf(file, text)]))
  return [...[...graph].flatMap(([file, imports]) => fileErrors(file, imports, sources)), ...cycles(graph)]
}

function fileErrors(file: string, imports: readonly Import[], sources: Sources): string[] {
  const from = partOf(file)
  if (!from) return [`${file} belongs to no part; add its folder to the table in build/check-imports.ts`]
  return imports.flatMap(({ target, kind }) => {
    if (target.startsWith("node:"))
      return file.startsWith("runtime/") ? [] : [`${file} imports ${target}; only runtime/ may`]
    const isFile = /^(src|runtime|test|build|bench)\//.test(target)
    if (!isFile) return packageErrors(file, from, target, kind)
    if (!sources.has(target)) return [`${file} imports ${target}, which is not there`]
    if (isTool(file, sources) && isTool(target, sources))
      return [`${file} imports ${target}; a tool may not import another`]
    const to = partOf(target)
    if (to === from || MAY_IMPORT[from]!.includes(to!)) return []
    return [`${file} imports ${target}; ${from} may import ${MAY_IMPORT[from]!.join(", ") || "nothing"}`]
  })
}

function packageErrors(file: string, from: string, target: string, kind: Import["kind"]): string[] {
  const name = Object.keys(PACKAGES).find((name) => target === name || target.startsWith(`${name}/`))
  if (!name) return [`${file} imports ${target}, a package that is not in the table of build/check-imports.ts`]
  if (!PACKAGES[name]!.includes(from)) return [`${file} imports ${target}; only ${PACKAGES[name]!.join(", ")} may`]
  if (TYPES_ONLY.includes(name) && kind !== "types")
    return [`${file} imports ${target}; only its types may be, by "import type"`]
  return []
}

function partOf(path: string): string | undefined {
  return Object.keys(MAY_IMPORT).find((part) => path === part || path.startsWith(`${part}/`))
}

function isTool(file: string, sources: Sources): boolean {
  return file.startsWith("src/tools/") && /\bdefineTool\(\s*\{/.test(sources.get(file) ?? "")
}

/** What a module imports: at once, for its types, or later on. Comments that show an import are none. */
export function importsOf(file: string, text: string): Import[] {
  const target = (specifier: string) =>
    specifier.startsWith(".") ? relative(ROOT, resolve(ROOT, dirname(file), specifier)) : specifier
  const code = text.replace(/^\s*(?:\*|\/\/|\/\*).*$/gm, "")
  const now = [...code.matchAll(STATIC)].map(([, types, specifier]): Import => {
    return { target: target(specifier!), kind: types ? "types" : "code" }
  })
  const later = [...code.matchAll(DYNAMIC)].map(
    ([, specifier]): Import => ({ target: target(specifier!), kind: "later" }),
  )
  return [...now, ...later]
}

/** The shortest way from a file back to itself, types counted; each ring once, told from its first file. */
function cycles(graph: ReadonlyMap<string, readonly Import[]>): string[] {
  return [...graph.keys()].flatMap((start) => {
    const ring = wayBack(start, graph)
    return ring?.every((file) => start <= file) ? [`a cycle: ${[...ring, start].join(" → ")}`] : []
  })
}

function wayBack(start: string, graph: ReadonlyMap<string, readonly Import[]>): string[] | undefined {
  const ways: string[][] = [[start]]
  const seen = new Set<string>()
  for (const way of ways) {
    for (const { target } of graph.get(way.at(-1)!) ?? []) {
      if (target === start) return way
      if (seen.has(target)) continue
      seen.add(target)
      ways.push([...way, target])
    }
  }
  return undefined
}
