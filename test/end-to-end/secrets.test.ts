import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { begin, choose, INITIALIZE, prompt, startKoda } from "./koda.ts"
import { calls, KEY, lastOf, startModel, words } from "./model.ts"
import { newPlace } from "./place.ts"
import { SUBJECTS } from "./subjects.ts"

const GATEWAY_KEY = "kd-gateway-key-77aa31"
const HEADER = "Bearer header-secret-0c7e55"
const VARIABLE = "variable-secret-91b2d4"
const CUSTOM = "custom-secret-5ab0f3"

/** Refusals as providers give them, and what of them the user must be told. */
const REFUSALS: readonly (readonly [status: number, type: string, body: string, told: RegExp, code: number])[] = [
  [401, "application/json", `{"error":{"message":"Incorrect API key provided: ${KEY}"}}`, /key/i, -32000],
  [402, "application/json", '{"error":{"message":"You have no credit left"}}', /credit/, -32603],
  [404, "text/html", "<html><body><h1>No such place</h1></body></html>", /404|not found|No such place/i, -32603],
  [400, "application/json", '{"error":{"message":"The model `fake` is too old"}}', /too old/, -32603],
]

describe.each(SUBJECTS)("koda on $name", (subject) => {
  test("SH-09 gives its keys to no program that it starts", async () => {
    const place = await newPlace()
    const command = "env; cat /proc/self/environ | tr '\\0' '\\n'"
    const model = await startModel((asked) =>
      lastOf(asked).role === "tool" ? words("seen") : calls(["run_shell_command", { command }]),
    )
    const koda = startKoda(subject, place, {
      args: ["--acp", "--approval-mode", "yolo", "--model", "fake"],
      env: { ...model.env, KODA_API_KEY: GATEWAY_KEY, KODA_BASE_URL: "http://127.0.0.1:9", ANOTHER: "variable" },
    })
    koda.replies["session/request_permission"] = choose("allow_once")
    const sessionId = await begin(koda, place.workspace)
    await prompt(koda, sessionId, "look")
    const { text } = lastOf(model.asked[1]!)
    expect(text.match(/^ANOTHER=variable$/gm)).toHaveLength(2)
    for (const secret of [KEY, GATEWAY_KEY]) expect(text).not.toContain(secret)
  })

  test.each(REFUSALS)("JR-12 tells of a refusal with %i what a person can use, and no key", async (...refusal) => {
    const [status, type, body, told, code] = refusal
    const place = await newPlace()
    const model = await startModel(() => ({ status, type, body }))
    const koda = startKoda(subject, place, { env: model.env, args: ["--acp", "--log-level", "debug"] })
    const sessionId = await begin(koda, place.workspace)
    const { error } = await prompt(koda, sessionId, "hello")
    expect(error?.code).toBe(code)
    expect(error?.data.details).toMatch(told)
    expect(error?.message).toMatch(/\w+ \w+/)
    expect(await koda.hangUp()).toBe(0)
    const log = await readFile(join(place.kodaHome, "logs/koda.log"), "utf8").catch(() => "")
    const all = `${koda.lines.join("\n")}\n${koda.complaints()}\n${log}`
    expect(all).not.toContain(KEY)
    expect(JSON.stringify(error)).not.toMatch(/<\/?(html|body|h1)>/)
  })

  test("keeps secrets out of the traffic log, whoever said them", async () => {
    const place = await newPlace()
    const model = await startModel(() => words(`Your key is ${KEY}.`))
    const path = join(place.temp, "traffic.jsonl")
    const koda = startKoda(subject, place, { env: model.env, args: ["--acp", "--traffic-log", path] })
    await koda.request("initialize", INITIALIZE)
    const mcpServers = [
      { name: "local", command: "true", args: [], env: [{ name: "SERVICE_TOKEN", value: VARIABLE }] },
      { type: "http", name: "far", url: "http://127.0.0.1:9/mcp", headers: [{ name: "Authorization", value: HEADER }] },
    ]
    const { result } = await koda.request("session/new", { cwd: place.workspace, mcpServers })
    await koda.request("koda/custom_models/upsert", {
      modelId: "mine",
      baseUrl: "http://127.0.0.1:9/v1",
      apiKey: CUSTOM,
    })
    await prompt(koda, result.sessionId, `Is ${KEY} my key?`)
    expect(await koda.hangUp()).toBe(0)
    const log = await readFile(path, "utf8")
    expect(log).toContain("SERVICE_TOKEN")
    expect(log).toContain("Your key is ***.")
    for (const secret of [KEY, HEADER, VARIABLE, CUSTOM]) expect(log).not.toContain(secret)
  })
})
