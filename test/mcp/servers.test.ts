import { join } from "node:path"
import { expect, test } from "vitest"
import { temporaryFolder } from "../support/runtime.ts"
import { never } from "../support/scripted.ts"
import { isAlive, NODE, notes, program, serversWith, untilTrue } from "./servers.ts"

const said = (text: string) => ({ content: [{ type: "text", text }] })

test("R-035 a server's tools are the agent's, and are called under their own names", async () => {
  const { servers, until, call, tool } = await serversWith([program("s")])
  expect(servers.state).toEqual({ discoveryState: "not_started", servers: [{ name: "s", status: "connecting" }] })
  servers.start()
  await until("s connected 3")
  expect(servers.state).toEqual({
    discoveryState: "completed",
    servers: [{ name: "s", status: "connected", tools: 3 }],
  })
  expect(servers.tools.map(({ name }) => name)).toEqual(["mcp__s__echo", "mcp__s__fail", "mcp__s__slow"])
  expect(await call("mcp__s__echo", { text: "hello" })).toEqual(said("hello"))
  expect(await call("mcp__s__fail")).toEqual({ ...said("it did not work"), failed: true })
  const { reach } = await tool("mcp__s__echo").prepare({}, new AbortController().signal)
  expect(reach).toEqual({ type: "server", server: "s", tool: "echo", trusted: false })
})

test("MC-01 servers start beside each other: a hung one holds up no other", async () => {
  const hung = { name: "hung", command: NODE, args: ["-e", "setInterval(() => {}, 1000)"], env: [] }
  const { servers, until } = await serversWith([hung, program("s")])
  servers.start()
  await until("hung connecting, s connected 3")
  expect(servers.state.discoveryState).toBe("in_progress")
})

test("MC-02 a server that is not there, or ends at once, is told of with its last words, once", async () => {
  const { servers, until, failures } = await serversWith([
    program("bad", "exits"),
    { name: "none", command: "/no/such/program" },
  ])
  servers.start()
  await until("bad disconnected, none disconnected")
  expect(failures.sort()).toEqual([
    'The MCP server "bad" is not there: it ended with code 3. Its last words: starting\nno licence was found',
    'The MCP server "none" is not there: there is no program "/no/such/program"',
  ])
})

test("what a server says of the keys that it was given is not told", async () => {
  const env = [{ name: "LICENCE_KEY", value: "hunter2hunter2" }]
  const { servers, until, failures } = await serversWith([{ ...program("bad", "exits"), env }])
  servers.start()
  await until("bad disconnected")
  expect(failures).toEqual([
    'The MCP server "bad" is not there: it ended with code 3. Its last words: starting\nno licence was found\n*** is none',
  ])
})

test("MC-02 a banner, broken lines and a megabyte of errors do no harm", async () => {
  const { servers, until, call } = await serversWith([program("s", "banner")])
  servers.start()
  await until("s connected 3")
  expect(await call("mcp__s__echo", { text: "fine" })).toEqual(said("fine"))
})

test("a server that floods its output with noise is stopped", async () => {
  const { servers, until, failures } = await serversWith([program("s", "noise")])
  servers.start()
  await until("s disconnected")
  expect(failures).toEqual(['The MCP server "s" is not there: it floods its output with what are no messages'])
})

test("an answer of 50 MB fails its call, and the server goes on", async () => {
  const { servers, until, call } = await serversWith([program("s")])
  servers.start()
  await until("s connected 3")
  const large = "s: the server's answer has 50 MB, more than koda reads; ask for less"
  await expect(call("mcp__s__echo", { do: "big" })).rejects.toThrow(large)
  await expect(call("mcp__s__echo", { do: "bigFirst" })).rejects.toThrow(large)
  expect(await call("mcp__s__echo", { text: "still here" })).toEqual(said("still here"))
})

test("MC-05 tools whose descriptions are lies are left out, or take any object", async () => {
  const { servers, until } = await serversWith([program("s", "liar")])
  servers.start()
  await until("s connected 6")
  const open = { type: "object", properties: {}, additionalProperties: true }
  expect(servers.tools.map(({ name, schema }) => [name, schema])).toEqual([
    ["mcp__s__a_b_c_0b3f450339bd", { type: "object", properties: {} }],
    ["mcp__s__echo", open],
    ["mcp__s__list", open],
    ["mcp__s__number", { type: "object", properties: {} }],
    ["mcp__s__ring", { type: "object", properties: { next: {} } }],
    ["mcp__s__text", open],
  ])
})

test("MC-05 what is not seen in a tool's name or a server's words is shown for what it is", async () => {
  const { servers, until, call } = await serversWith([program("s", "unseen")])
  servers.start()
  await until("s connected 1")
  const [tool] = servers.tools
  expect((await tool!.prepare({}, never)).title).toBe("s: gn\\u202ep\\x1b[2J")
  await expect(call(tool!.name, { do: "refuse" })).rejects.toThrow("s: no \\x1b[2Jluck\\u202e")
})

test("MC-07 a server that dies is started again once, and then shown as down", async () => {
  const { servers, until, call, story, failures } = await serversWith([program("s")])
  servers.start()
  await until("s connected 3")
  await expect(call("mcp__s__echo", { do: "die" })).rejects.toThrow(
    'The server "s" ended during the call: it ended with code 1. It may have taken effect; look before you repeat it.',
  )
  expect(await call("mcp__s__echo", { text: "again" })).toEqual(said("again"))
  await expect(call("mcp__s__echo", { do: "die" })).rejects.toThrow("ended during the call")
  await until("s disconnected")
  expect(story).toEqual(["s connecting", "s connected 3", "s connecting", "s connected 3", "s disconnected"])
  expect(failures).toEqual(['The MCP server "s" is not there: it ended with code 1'])
  expect(servers.tools).toEqual([])
})

test("MC-07 tools that have changed are offered from the next step on", async () => {
  const { servers, until, call } = await serversWith([program("s")])
  servers.start()
  await until("s connected 3")
  expect(await call("mcp__s__echo", { do: "change" })).toEqual(said("changed"))
  await until("s connected 2")
  expect(servers.tools.map(({ name }) => name)).toEqual(["mcp__s__echo", "mcp__s__new"])
})

test("MC-08 a call that is cancelled is taken back from the server", async () => {
  const file = join(await temporaryFolder(), "notes")
  const { servers, until, call } = await serversWith([program("s", "good", file)])
  servers.start()
  await until("s connected 3")
  const stop = new AbortController()
  const slow = call("mcp__s__slow", {}, { signal: stop.signal })
  await untilTrue(async () => (await notes(file)).some(({ method }) => method === "tools/call"))
  stop.abort(new Error("cancelled by the user"))
  await expect(slow).rejects.toThrow("cancelled by the user")
  await untilTrue(async () => (await notes(file)).some(({ method }) => method === "notifications/cancelled"))
})

test("MC-08 a call that takes too long is given up, and says so", async () => {
  const { servers, until, call } = await serversWith([program("s")], { timeoutMs: 50 })
  servers.start()
  await until("s connected 3")
  await expect(call("mcp__s__slow")).rejects.toThrow(
    "s: it has not answered for 0.05 seconds; `timeout` in its settings may give it longer",
  )
})

test("what a server reports of its progress is shown while it works", async () => {
  const { servers, until, call } = await serversWith([program("s")])
  servers.start()
  await until("s connected 3")
  const shown: unknown[] = []
  await call("mcp__s__echo", { do: "progress" }, { report: ({ display }) => void shown.push(display) })
  expect(shown).toEqual([[{ type: "text", text: "half way" }]])
  await call("mcp__s__echo", { do: "progressAtOnce" }, { report: ({ display }) => void shown.push(display) })
  expect(shown.at(-1)).toEqual([{ type: "text", text: "at once" }])
})

test("MC-10 servers are told the folders of the session, and get their pings answered; the model is not lent", async () => {
  const { servers, until, call, cwd } = await serversWith([program("s")])
  servers.start()
  await until("s connected 3")
  const { content } = await call("mcp__s__echo", { do: "roots" })
  expect(JSON.parse((content[0] as { text: string }).text)).toEqual({
    roots: [{ uri: `file://${cwd}`, name: cwd.split("/").at(-1) }],
  })
  expect(await call("mcp__s__echo", { do: "ping" })).toEqual(said("{}"))
  expect(await call("mcp__s__echo", { do: "sample" })).toEqual(said("koda does not lend its model to servers"))
})

test("MC-10 a server's question goes to the user, and is declined where nobody can be asked", async () => {
  const asked = await serversWith([program("s")], {
    elicit: async () => ({ action: "accept", content: { name: "Ada" } }),
  })
  asked.servers.start()
  await asked.until("s connected 3")
  expect(await asked.call("mcp__s__echo", { do: "elicit" })).toEqual(
    said('{"action":"accept","content":{"name":"Ada"}}'),
  )
  const alone = await serversWith([program("s")])
  alone.servers.start()
  await alone.until("s connected 3")
  expect(await alone.call("mcp__s__echo", { do: "elicit" })).toEqual(said('{"action":"decline"}'))
})

test("MC-12 a server runs in the session's folder with its own variables, and nothing of it is left afterwards", async () => {
  const file = join(await temporaryFolder(), "notes")
  const entry = { ...program("s", "stubborn", file), env: [{ name: "TOKEN", value: "t" }] }
  const { servers, until, cwd } = await serversWith([entry])
  servers.start()
  await until("s connected 3")
  const [{ started, cwd: folder, env }] = await notes(file)
  expect([folder, env.TOKEN]).toEqual([cwd, "t"])
  expect(isAlive(started)).toBe(true)
  await servers.close()
  await untilTrue(() => !isAlive(started))
})

test("a server that is closed while it starts leaves nothing, either", async () => {
  const file = join(await temporaryFolder(), "notes")
  const { servers } = await serversWith([program("s", "hangs", file)])
  servers.start()
  await untilTrue(async () => (await notes(file)).length > 0)
  await servers.close()
  const [{ started }] = await notes(file)
  await untilTrue(() => !isAlive(started))
})

test("MC-10 a server's questions are put one after the other, and not without end", async () => {
  let open = 0
  let most = 0
  let asked = 0
  const declined = Promise.withResolvers<void>()
  const { servers, until, call } = await serversWith([program("s")], {
    async elicit() {
      most = Math.max(most, ++open)
      asked++
      await declined.promise // while the user thinks about the first
      open--
      return { action: "accept", content: { name: "Ada" } }
    },
  })
  servers.start()
  await until("s connected 3")
  const { content } = await call("mcp__s__echo", { do: "elicitMany", text: "30" }, { report: () => declined.resolve() })
  const actions = content.map((part) => (part.type === "text" ? part.text : "")).join("")
  expect(actions).toMatch(/^((accept|decline) ?){30}$/)
  expect([most, actions.split(" ").filter((action) => action === "accept").length]).toEqual([1, asked])
})
