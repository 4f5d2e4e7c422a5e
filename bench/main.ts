import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { cpus, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Started, start } from "./client.ts"
import { median } from "./median.ts"
import type { Medians } from "./metrics.ts"
import { type Model, startModel } from "./model.ts"
import { missed, table } from "./report.ts"
import { OURS, SCENARIOS } from "./scenarios.ts"
import { initialize, type Values } from "./stage.ts"
import { type Command, missing, prepare, type Subject } from "./subjects.ts"

const USAGE = `npm run bench -- [--runs N] [--only NAME,…] [--json] [--calibrate]

  --runs N       runs of each scenario; the median counts (7)
  --only NAME,…  only these subjects and scenarios
  --json         every value of every run, as JSON
  --calibrate    the do-nothing program against itself: what differs is noise

What subagents cost by themselves: node bench/subagents.ts`

type Role = keyof Medians

/** All values of one subject: by role, by metric, one of each run. */
type Samples = Record<Role, Record<string, number[]>>

if (import.meta.main) await main()

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      runs: { type: "string", default: "7" },
      only: { type: "string" },
      json: { type: "boolean", default: false },
      calibrate: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  })
  if (options.help) return console.log(USAGE)

  const folder = await mkdtemp(join(tmpdir(), "koda-bench-"))
  const model = await startModel()
  try {
    const all = (await prepare(folder)).map((subject) =>
      options.calibrate ? { ...subject, ours: subject.floor } : subject,
    )
    const { subjects, scenarios } = chosen(await present(all), options.only?.split(","))
    const samples = await measure(subjects, scenarios, Number(options.runs), folder, model)
    const medians = new Map([...samples].map(([name, one]) => [name, mediansOf(one)]))
    if (options.json)
      return console.log(
        JSON.stringify({ machine: machine(), missed: missed(medians), samples: Object.fromEntries(samples) }),
      )
    console.log(`\n${machine()}, medians of ${options.runs}\n\n${table(medians)}`)
    const misses = missed(medians)
    console.log(misses.length ? `\n${misses.length} goals missed:\n${misses.join("\n")}` : "\nall goals met")
  } finally {
    await model.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function present(subjects: readonly Subject[]): Promise<Subject[]> {
  const found: Subject[] = []
  for (const subject of subjects) {
    const lacking = await missing(subject)
    if (lacking)
      console.error(`${subject.name} is left out: there is no ${lacking}; npm run build && npm run build:binary`)
    else found.push(subject)
  }
  return found
}

function chosen(
  subjects: readonly Subject[],
  only: readonly string[] = [],
): { subjects: Subject[]; scenarios: string[] } {
  const scenarios = Object.keys(SCENARIOS)
  const names = [...subjects.map(({ name }) => name), ...scenarios]
  const unknown = only.find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new Error(`there is nothing to measure named "${unknown}"; there are ${names.join(", ")}`)
  const pick = <T>(all: readonly T[], name: (one: T) => string) => {
    const picked = all.filter((one) => only.includes(name(one)))
    return picked.length ? picked : [...all]
  }
  return { subjects: pick(subjects, ({ name }) => name), scenarios: pick(scenarios, (name) => name) }
}

/** Ours and what it is measured against take turns, so that a machine that gets slower does so for both. */
async function measure(
  subjects: readonly Subject[],
  scenarios: readonly string[],
  runs: number,
  folder: string,
  model: Model,
): Promise<Map<string, Samples>> {
  const samples = new Map<string, Samples>(subjects.map(({ name }) => [name, { ours: {}, floor: {}, hello: {} }]))
  for (const scenario of scenarios) {
    for (let run = 0; run <= runs; run++) {
      for (const subject of subjects) {
        process.stderr.write(`\r\u001b[K${scenario} ${run || "warming up"} ${subject.name}`)
        const roles: Role[] = run % 2 ? ["hello", "ours", "floor"] : ["floor", "ours", "hello"]
        for (const role of roles) {
          const command = subject[role]
          if (!command || (role === "hello" && scenario !== "startup")) continue
          if (role !== "ours" && OURS.has(scenario)) continue
          const values = await runOnce(command, role, scenario, join(folder, `${subject.name}-${role}`), model)
          if (run > 0) keep(samples.get(subject.name)![role], values) // the first run fills caches
        }
      }
    }
  }
  process.stderr.write("\r\u001b[K")
  return samples
}

/** With a home of its own, that nothing but the program itself has touched. */
async function runOnce(command: Command, role: Role, scenario: string, home: string, model: Model): Promise<Values> {
  const folder = join(home, "work")
  const file = join(folder, "notes.txt")
  await mkdir(join(home, ".kodacli"), { recursive: true })
  await mkdir(folder, { recursive: true })
  await writeFile(join(home, ".kodacli/settings.json"), '{ "localModels": false }\n')
  await writeFile(file, "one line\n".repeat(50))
  await model.seen()

  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    KODA_CLI_HOME: join(home, ".kodacli"),
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: "bench",
    OPENAI_MODEL: "bench-model",
    DENO_NO_UPDATE_CHECK: "1",
  }
  const started: Started[] = []
  const store = join(home, "sessions")
  await rm(store, { recursive: true, force: true })
  const startAgent = (more?: Record<string, string>) => {
    const agent = start(command, folder, { ...env, ...more })
    started.push(agent)
    return agent
  }
  try {
    if (role === "hello") return await initialize(startAgent())
    return await SCENARIOS[scenario]!({ model, folder, file, store, start: startAgent })
  } catch (error) {
    throw new Error(`${scenario} of ${command.join(" ")} failed`, { cause: error })
  } finally {
    await Promise.all(started.map((agent) => agent.stop()))
  }
}

function keep(samples: Record<string, number[]>, values: Values): void {
  for (const [name, value] of Object.entries(values)) (samples[name] ??= []).push(value)
}

function mediansOf(samples: Samples): Medians {
  const of = (one: Record<string, number[]>) =>
    Object.fromEntries(Object.entries(one).map(([name, values]) => [name, median(values)]))
  return { ours: of(samples.ours), floor: of(samples.floor), hello: of(samples.hello) }
}

function machine(): string {
  const load = loadavg().map((one) => one.toFixed(1))
  return `${cpus().length} × ${cpus()[0]?.model.trim()}, load ${load.join(" ")}`
}
