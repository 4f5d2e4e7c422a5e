import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { begin, type Frame, INITIALIZE, type Koda, prompt, said, startKoda } from "./koda.ts"
import { lastOf, startModel, words } from "./model.ts"
import { newPlace } from "./place.ts"
import { SUBJECTS } from "./subjects.ts"

const CALL = '"jsonrpc":"2.0","method":"_vendor/x"'

/** What is no message, and the code and id of its answer. */
const NO_MESSAGES: readonly (readonly [line: string, code: number, id: unknown])[] = [
  ["{nope", -32700, null],
  ['{"jsonrpc":"2.0","id":7,"method":"initia', -32700, null],
  ["\u0000", -32700, null],
  ["[]", -32600, null],
  [`[{${CALL},"id":1}]`, -32600, null],
  ['"initialize"', -32600, null],
  ["42", -32600, null],
  ["null", -32600, null],
  ["{}", -32600, null],
  ['{"id":71,"method":"initialize"}', -32600, 71],
  ['{"jsonrpc":"1.0","id":72,"method":"initialize"}', -32600, 72],
  ['{"jsonrpc":"2.0","id":73,"method":5}', -32600, 73],
  [`{${CALL},"id":{}}`, -32600, null],
  [`{${CALL},"id":true}`, -32600, null],
  [`{${CALL},"id":[1]}`, -32600, null],
]

/** As they are written. */
const IDS = [
  "0",
  "-3",
  "1.5",
  "9007199254740991",
  "9007199254740993",
  "123456789012345678901234567890",
  '"1"',
  '""',
  '"6f0c1c2e-9d0a-4b7e-8a53-0d8a0f6f7b11"',
  '"привет 🙂"',
  "null",
]

/** Stands for the id of an open session. */
const OPEN = "OPEN"

/** Calls that can't be made, and the field that the error names. */
const WRONG_PARAMS: readonly (readonly [method: string, params: unknown, names: string])[] = [
  ["initialize", { protocolVersion: "2025-01-01" }, "protocolVersion"],
  ["initialize", {}, "protocolVersion"],
  ["session/new", { mcpServers: [] }, "cwd"],
  ["session/new", { cwd: ".", mcpServers: [] }, "cwd"],
  ["session/new", { cwd: 5, mcpServers: [] }, "cwd"],
  ["session/new", { cwd: "/", additionalDirectories: "none" }, "additionalDirectories"],
  ["session/new", "/tmp", "object"],
  ["session/new", ["/tmp"], "cwd"],
  ["session/prompt", { prompt: [] }, "sessionId"],
  ["session/prompt", { sessionId: OPEN, prompt: "hello" }, "prompt"],
  ["session/prompt", { sessionId: OPEN, prompt: [{ type: "text" }] }, "prompt"],
  ["session/set_mode", { sessionId: 1, modeId: "ask" }, "sessionId"],
  ["authenticate", { methodId: null }, "methodId"],
]

describe.each(SUBJECTS)("koda on $name", (subject) => {
  test("JR-01 answers what is no message with an error, and the connection lives on", async () => {
    const koda = startKoda(subject, await newPlace())
    await koda.request("initialize", INITIALIZE)
    await koda.write(NO_MESSAGES.map(([line]) => `${line}\n`).join(""))
    await koda.request("_vendor/alive", {})
    expect(koda.frames.slice(1, -1).map(({ id, error }) => [error?.code, id])).toEqual(
      NO_MESSAGES.map(([, code, id]) => [code, id]),
    )
    for (const { error } of koda.frames.slice(1)) expect(error?.message).toMatch(/\w+ \w+/)
  })

  test("JR-03 R-010 repeats every id as it was written", async () => {
    const koda = startKoda(subject, await newPlace())
    await koda.write(IDS.map((id) => `{${CALL},"id":${id}}\n`).join(""))
    await koda.until(() => koda.frames.length === IDS.length)
    expect(koda.lines.map((line) => /"id":(.*?),"error"/.exec(line)?.[1])).toEqual(IDS)
    expect(koda.frames.map(({ error }) => error?.code)).toEqual(IDS.map(() => -32601))
  })

  test("JR-07 refuses unknown requests by name and is silent about unknown notifications", async () => {
    const koda = startKoda(subject, await newPlace())
    for (const method of ["session/frobnicate", "$/unknown", "_vendor/x", "", "constructor", "__proto__"]) {
      koda.notify(method, {})
      const { error } = await koda.request(method, {})
      expect(error?.code, method).toBe(-32601)
      expect(error?.message).toContain(`"${method}"`)
    }
    expect(koda.frames).toHaveLength(6)
  })

  test("JR-09 R-301 names the field that is wrong, and takes what is only odd", async () => {
    const place = await newPlace()
    const koda = startKoda(subject, place)
    const sessionId = await begin(koda, place.workspace)
    for (const [method, params, name] of WRONG_PARAMS) {
      const text = JSON.stringify(params).replace(OPEN, sessionId)
      const { error } = await koda.request(method, JSON.parse(text))
      expect(error, method).toMatchObject({ code: -32602, data: { reason: "invalid_params" } })
      expect(`${error?.message} ${JSON.stringify(error?.data)}`.toLowerCase()).toContain(name.toLowerCase())
    }
    const { result } = await koda.request("initialize", {
      protocolVersion: 99,
      clientCapabilities: { fs: null, terminal: null, unheardOf: [1] },
      unheardOf: { deep: [] },
      _meta: { mine: true },
    })
    expect(result.protocolVersion).toBe(1)
  })

  test("JR-10 R-009 takes what is written behind initialize in one breath, and initialize again", async () => {
    const place = await newPlace()
    const koda = startKoda(subject, place)
    const calls = [
      { id: "a", method: "initialize", params: INITIALIZE },
      { id: "b", method: "session/new", params: { cwd: place.workspace, mcpServers: [] } },
      { id: "c", method: "_vendor/x", params: {} },
      { id: "d", method: "initialize", params: INITIALIZE },
    ]
    await koda.write(calls.map((call) => `${JSON.stringify({ jsonrpc: "2.0", ...call })}\n`).join(""))
    const [a, b, c, d] = await Promise.all(calls.map(({ id }) => koda.until((frame) => frame.id === id)))
    expect(a!.result).toEqual(d!.result)
    expect(b!.result.sessionId).toEqual(expect.any(String))
    expect(c!.error?.code).toBe(-32601)
  })

  test("JR-10 answers a session asked for before initialize", async () => {
    const place = await newPlace()
    const koda = startKoda(subject, place)
    const first = await koda.request("session/new", { cwd: place.workspace, mcpServers: [] })
    expect(first.result?.sessionId ?? first.error?.message).toEqual(expect.any(String))
    expect((await koda.request("initialize", INITIALIZE)).result.protocolVersion).toBe(1)
  })

  test("JR-11 answers session/new before it tells anything of the session", async () => {
    const place = await newPlace()
    const koda = startKoda(subject, place)
    await begin(koda, place.workspace)
    await koda.until(({ params }) => params?.update?.sessionUpdate === "available_commands_update")
    expect(koda.frames[1]?.result.sessionId).toEqual(koda.frames[2]?.params.sessionId)
  })

  test("JR-04 reads lines cut anywhere, ended by CRLF or with blank lines between them", async () => {
    const place = await newPlace()
    const model = await startModel((asked) => words(`you said ${lastOf(asked).text}`))
    const koda = startKoda(subject, place, { env: model.env })
    const sessionId = await begin(koda, place.workspace)
    const text = "привет 🙂 \u2028 \ufeff 漢字"
    const params = { sessionId, prompt: [{ type: "text", text }] }
    const line = `\n\r\n  \n${JSON.stringify({ jsonrpc: "2.0", id: "cut", method: "session/prompt", params })}\r\n`
    for (const byte of new TextEncoder().encode(line)) await koda.write(Uint8Array.of(byte))
    expect((await koda.until(({ id }) => id === "cut")).result.stopReason).toBe("end_turn")
    expect(said(koda, sessionId)).toContain(text)
  })

  test("answers what is not UTF-8 like anything else it does not know", async () => {
    const koda = startKoda(subject, await newPlace())
    const line = Buffer.from(`{${CALL},"id":1}\n`)
    line[line.indexOf("vendor")] = 0xff
    await koda.write(line)
    await koda.write(Buffer.from([0xff, 0xfe, 0xc0, 0x0a]))
    await koda.until(() => koda.frames.length === 2)
    expect(koda.frames.map(({ error }) => error?.code).sort()).toEqual([-32601, -32700])
  })

  test("JR-04 refuses a line of 33 MiB without ending, and reads the next", async () => {
    const koda = startKoda(subject, await newPlace())
    await koda.request("initialize", INITIALIZE)
    const megabyte = "x".repeat(1024 * 1024)
    await koda.write(`{${CALL},"id":"long","params":"`)
    for (let sent = 0; sent < 33; sent++) await koda.write(megabyte)
    await koda.write('"}\n')
    expect((await koda.request("_vendor/alive", {})).error?.code).toBe(-32601)
    expect(koda.frames[1]).toMatchObject({ id: null, error: { code: -32600 } })
    expect(koda.frames).toHaveLength(3)
  })

  test("JR-04 takes an image of 8 MB in slices of 1 KiB", async () => {
    const place = await newPlace()
    const model = await startModel(() => words("seen"))
    const koda = startKoda(subject, place, { env: model.env })
    const sessionId = await begin(koda, place.workspace)
    const data = `iVBORw0KGgo${"A".repeat(8 * 1024 * 1024 - 11)}`
    const blocks = [
      { type: "text", text: "что это? 🙂" },
      { type: "image", mimeType: "image/png", data },
    ]
    const message = { jsonrpc: "2.0", id: "image", method: "session/prompt", params: { sessionId, prompt: blocks } }
    await writeInSlices(koda, Buffer.from(`${JSON.stringify(message)}\n`))
    expect((await koda.until(({ id }) => id === "image")).result.stopReason).toBe("end_turn")
    const parts = model.asked[0]!.messages.at(-1).content as { image_url?: { url: string } }[]
    expect(parts.find(({ image_url }) => image_url)?.image_url?.url === `data:image/png;base64,${data}`).toBe(true)
  })

  test("JR-15 ends a request that is not wanted any more, and hears nothing of unknown ones", async () => {
    const place = await newPlace()
    const model = await startModel(function* () {
      yield words("slowly")[0]!
      yield new Promise(() => {})
    })
    const koda = startKoda(subject, place, { env: model.env })
    const sessionId = await begin(koda, place.workspace)
    const answer = prompt(koda, sessionId, "go")
    await koda.until(({ params }) => params?.update?.sessionUpdate === "agent_message_chunk")
    for (const requestId of ["nobody", 999, 3, null]) koda.notify("$/cancel_request", { requestId })
    expect(outcomeOf(await answer)).toBeOneOf(["-32800", "cancelled"])
    expect((await koda.request("_vendor/alive", {})).error?.code).toBe(-32601)
  })

  test("R-299 says that there is no such session", async () => {
    const koda = startKoda(subject, await newPlace())
    await koda.request("initialize", INITIALIZE)
    for (const sessionId of ["6f0c1c2e-9d0a-4b7e-8a53-0d8a0f6f7b11", "../../etc/passwd", ""]) {
      const { error } = await prompt(koda, sessionId, "hello")
      expect(error).toMatchObject({ code: -32002, data: { reason: "not_found", details: expect.any(String) } })
    }
  })

  test("writes what it hears and says to the traffic log, bad lines too", async () => {
    const place = await newPlace()
    const path = join(place.temp, "traffic.jsonl")
    const koda = startKoda(subject, place, { args: ["--acp", "--traffic-log", path] })
    await koda.request("initialize", INITIALIZE)
    await koda.write("{nope\n")
    await koda.request("_vendor/x", {})
    expect(await koda.hangUp()).toBe(0)
    const rows = (await readFile(path, "utf8")).trimEnd().split("\n")
    expect(
      rows
        .map((row) => JSON.parse(row))
        .map(({ direction }) => direction)
        .sort(),
    ).toEqual([...["in", "in", "in"], ...["out", "out", "out"]])
  })
})

async function writeInSlices(koda: Koda, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += 1024) await koda.write(bytes.subarray(at, at + 1024))
}

function outcomeOf({ result, error }: Frame): string {
  return error ? String(error.code) : result.stopReason
}
