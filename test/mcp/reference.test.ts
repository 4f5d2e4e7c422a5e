import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { temporaryFolder } from "../support/runtime.ts"
import { inPackages, NODE, serversWith, untilTrue } from "./servers.ts"

const everything = {
  name: "everything",
  command: NODE,
  args: [inPackages("@modelcontextprotocol/server-everything/dist/index.js"), "stdio"],
  env: [],
}

test("server-everything: its tools answer with text, pictures, links and resources", async () => {
  const { servers, call } = await serversWith([everything], {
    elicit: async () => ({ action: "accept", content: { name: "Ada", check: true } }),
  })
  servers.start()
  await untilTrue(() => servers.tools.length > 5)
  const names = servers.tools.map(({ name }) => name)
  expect(names).toEqual([...names].sort())
  const has = (name: string) => names.includes(`mcp__everything__${name}`)
  expect(has("echo")).toBe(true)
  expect(await call("mcp__everything__echo", { message: "hello" })).toEqual({
    content: [{ type: "text", text: "Echo: hello" }],
  })
  const { content: sum } = await call("mcp__everything__get-sum", { a: 2, b: 3 })
  expect(sum[0]).toMatchObject({ type: "text", text: expect.stringContaining("5") })
  const { content: picture } = await call("mcp__everything__get-tiny-image")
  expect(picture.map(({ type }) => type)).toContain("image")
  const { content: links } = await call("mcp__everything__get-resource-links", { count: 2 })
  expect(links.filter(({ type }) => type === "link")).toHaveLength(2)
  const { content: structured } = await call("mcp__everything__get-structured-content", { location: "Chicago" })
  expect(structured[0]).toMatchObject({ type: "text" })
  const progress: unknown[] = []
  await call(
    "mcp__everything__trigger-long-running-operation",
    { duration: 0.1, steps: 2 },
    { report: ({ display }) => void progress.push(display) },
  )
  expect(progress.length).toBeGreaterThan(0)
})

test("server-filesystem: it keeps to the session's folders", async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, "a.txt"), "inside")
  const entry = {
    name: "files",
    command: NODE,
    args: [inPackages("@modelcontextprotocol/server-filesystem/dist/index.js"), folder],
    env: {},
  }
  const { servers, call, cwd } = await serversWith([entry])
  await writeFile(join(cwd, "b.txt"), "in the session's folder")
  servers.start()
  await untilTrue(() => servers.tools.length > 5)
  await untilTrue(async () => {
    const { content } = await call("mcp__files__list_allowed_directories")
    return JSON.stringify(content).includes(cwd)
  })
  const { content } = await call("mcp__files__read_text_file", { path: join(cwd, "b.txt") })
  expect(content[0]).toEqual({ type: "text", text: "in the session's folder" })
  const refused = await call("mcp__files__read_text_file", { path: "/etc/passwd" })
  expect(refused.failed).toBe(true)
})
