import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { ROOT } from "../../build/run.ts"
import { choose, INITIALIZE, type Koda, type Loose, prompt, startKoda, updates } from "./koda.ts"
import { calls, lastOf, startModel, words } from "./model.ts"
import { newPlace } from "./place.ts"
import { SUBJECTS } from "./subjects.ts"

/** The servers that the protocol's authors have made to be tried with. They run on Node, whatever koda runs on. */
const reference = (name: string, ...args: string[]) => ({
  command: join(ROOT, "node_modules/node/bin/node"),
  args: [join(ROOT, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
  env: [],
})

/** Shows everything that servers may ask for. */
const CAPABILITIES = { subagents: true, elicitation: { form: {}, url: {} } }

/** What the model calls, and what it is to read then. */
const CALLS: readonly (readonly [name: string, input: object, reads: RegExp])[] = [
  ["all__echo", { message: "hello" }, /^Echo: hello$/],
  ["all__get-sum", { a: "2", b: "3" }, /^The sum of 2 and 3 is 5\.$/],
  ["all__get-tiny-image", {}, /^Here's the image you requested/],
  ["all__get-resource-links", { count: 2 }, /\[@Text Resource 2\]\(demo:\/\/resource\/dynamic\/text\/2\)/],
  [
    "all__get-resource-reference",
    { resourceId: 1 },
    /<resource uri="demo:\/\/resource\/dynamic\/text\/1">\nResource 1: This/,
  ],
  ["all__read_resource", { uri: "demo://resource/dynamic/text/2" }, /Resource 2: This is a plaintext resource/],
  ["all__get-structured-content", { location: "Chicago" }, /^\{"temperature":36,/],
  ["all__trigger-long-running-operation", { duration: 0.3, steps: 2 }, /^Long running operation completed/],
  ["all__get-roots-list", {}, /URI: file:\/\/\S+\/workspace\n/],
  ["all__trigger-elicitation-request", {}, /Name: Ada\n- Agreed to terms: true\n- Favorite Integer: 42\n/],
  ["all__trigger-url-elicitation", { url: "https://example.com/login", elicitationId: "e1" }, /User completed the URL/],
  ["all__get-env", {}, /^(?![\s\S]*sk-end-to-end)[\s\S]*"HOME"/],
  ["files__read_text_file", { path: "WORKSPACE/b.txt" }, /^in the workspace$/],
  ["files__read_multiple_files", { paths: "WORKSPACE/b.txt" }, /in the workspace/],
  ["files__write_file", { path: "WORKSPACE/c.txt", content: "written" }, /^Successfully wrote/],
  ["files__read_text_file", { path: "/etc/passwd" }, /Access denied/],
]

describe.each(SUBJECTS)("koda on $name", (subject) => {
  test("R-035 MC-10 the tools of the reference servers work, with all that they ask back", async () => {
    const place = await newPlace({ "b.txt": "in the workspace" })
    const model = await startModel((asked) => {
      const { text } = lastOf(asked)
      if (text.includes("Where")) return calls(["mcp__files__list_allowed_directories", {}])
      if (!text.includes("Call all")) return words("done")
      return calls(...CALLS.map(([name, input]) => [`mcp__${name}`, within(place.workspace, input)] as const))
    })
    const koda = startKoda(subject, place, { env: model.env })
    const servers = [
      { name: "all", ...reference("everything", "stdio") },
      { name: "files", ...reference("filesystem", place.home) }, // the workspace is one of the session's roots
    ]
    const sessionId = await opened(koda, place.workspace, servers)
    do
      await prompt(koda, sessionId, "Where may it look?") // it asks for the roots in its own time
    while (!lastOf(model.asked.at(-1)!).text.includes(place.workspace))
    await prompt(koda, sessionId, "Call all")

    const { messages, tools } = model.asked.at(-1)!
    const read: Loose[] = messages.filter(({ role }) => role === "tool").slice(-CALLS.length)
    const wrong = CALLS.flatMap(([name, , reads], at) =>
      reads.test(read[at].content) ? [] : [[name, read[at].content]],
    )
    expect(wrong).toEqual([])
    expect(await readFile(join(place.workspace, "c.txt"), "utf8")).toBe("written")
    expect(JSON.stringify(messages)).toContain("data:image/png;base64,")

    const shown = updates(koda, sessionId).filter(({ sessionUpdate }) => sessionUpdate === "tool_call_update")
    const kinds = shown.flatMap(({ content = [] }) => content.map(({ content: { type } }: Loose) => type))
    expect([...new Set(kinds)].sort()).toEqual(["image", "resource_link", "text"])
    expect(JSON.stringify(shown)).toMatch(/1 of 2/)
    expect(JSON.stringify(messages), "what the server says of itself").toContain("Server Instructions")
    const offered = JSON.stringify(tools)
    expect(offered).toContain("mcp__all__echo")
    expect(offered, "it can only be called as a task").not.toContain("mcp__all__simulate-research-query")
    const asked = koda.frames.flatMap(({ method, params }) => (method === "elicitation/create" ? [params] : []))
    expect(asked.map(({ mode, url, requestedSchema }) => [mode, url ?? requestedSchema.required])).toEqual([
      ["form", ["name"]],
      ["url", "https://example.com/login"],
    ])
    expect(await koda.hangUp()).toBe(0)
  })

  test("R-035 the prompts of server-everything are commands, and its resources can be named in a prompt", async () => {
    const place = await newPlace()
    const model = await startModel(() => words("done"))
    const koda = startKoda(subject, place, { env: model.env })
    const sessionId = await opened(koda, place.workspace, [{ name: "all", ...reference("everything", "stdio") }])
    const menu: Loose[] = updates(koda, sessionId).findLast(
      ({ availableCommands }) => availableCommands,
    )?.availableCommands
    expect(menu.flatMap(({ name, input }) => (name.startsWith("mcp__") ? [[name, input?.hint]] : []))).toEqual([
      ["mcp__all__args-prompt", "<city> [state]"],
      ["mcp__all__completable-prompt", "<department> <name>"],
      ["mcp__all__resource-prompt", "<resourceType> <resourceId>"],
      ["mcp__all__simple-prompt", undefined],
    ])
    const heard = async (text: string) => {
      await prompt(koda, sessionId, text)
      return JSON.stringify(model.asked.at(-1)!.messages.at(-1))
    }
    expect(await heard("/mcp__all__simple-prompt")).toContain("This is a simple prompt without arguments.")
    expect(await heard("/args-prompt Paris Texas")).toContain("What's weather in Paris, Texas?")
    expect(await heard("/mcp__all__resource-prompt Text 3")).toContain("Resource 3: This is a plaintext resource")
    expect(await heard("Look at @all:demo://resource/dynamic/text/4, please")).toContain(
      "Resource 4: This is a plaintext",
    )
    expect(await koda.hangUp()).toBe(0)
  })
})

function within(workspace: string, input: object): object {
  return JSON.parse(JSON.stringify(input).replaceAll("WORKSPACE", workspace))
}

/** A session whose servers are there; what is asked for is allowed. */
async function opened(koda: Koda, cwd: string, mcpServers: readonly object[]): Promise<string> {
  koda.replies["session/request_permission"] = choose("allow_once")
  koda.replies["elicitation/create"] = ({ mode }) =>
    mode === "url" ? { action: "accept" } : { action: "accept", content: { name: "Ada", check: true } }
  await koda.request("initialize", { ...INITIALIZE, clientCapabilities: CAPABILITIES })
  const { sessionId } = (await koda.request("session/new", { cwd, mcpServers })).result
  await koda.until(({ params }) => params?.update?.discoveryState === "completed")
  return sessionId
}
