import { expect, test } from "vitest"
import { type Loose, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { calls, says as text } from "../support/replies.ts"

// What the agent sends to the model: the other wire.

test("from request to request only the end grows: system text and tools are the same bytes, 20 times", async () => {
  const { session, provider } = await workshop({ files: { "a.txt": "one\n" } })
  const steps = Array.from({ length: 18 }, (_, at) =>
    at % 3 === 2
      ? calls({ id: `c${at}`, name: "todo_write", input: { entries: [{ content: `${at}`, status: "pending" }] } })
      : calls({ id: `c${at}`, name: "read_file", input: { path: "a.txt", limit: at + 1 } }),
  )
  provider.script(...steps, says("done"), says("again"))
  const { client, sessionId } = await session()
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  await client.request("session/prompt", { sessionId, prompt: text("again") })

  expect(provider.asked.length).toBe(20)
  const bodies = provider.asked.map(({ body }) => body as Loose)
  for (const [at, body] of bodies.entries()) {
    expect(JSON.stringify(body.tools)).toBe(JSON.stringify(bodies[0].tools))
    if (at === 0) continue
    const before = JSON.stringify(bodies[at - 1].messages).slice(0, -1) // less the closing bracket
    expect(JSON.stringify(body.messages).slice(0, before.length)).toBe(before)
  }
})

test("the first request, with all its tools, is no larger than 16 KB", async () => {
  const { session, provider } = await workshop()
  provider.script(says("hi"))
  const { client, sessionId } = await session()
  await client.request("session/prompt", { sessionId, prompt: text("hi") })
  expect(provider.asked[0]!.text.length).toBeLessThanOrEqual(16 * 1024)
})

test("what is said to the model carries no secret of ours and nothing of the user's machine but the folder", async () => {
  const { session, provider, home } = await workshop()
  provider.script(says("hi"))
  const { client, sessionId } = await session()
  await client.request("session/prompt", { sessionId, prompt: text("hi") })
  const [{ text: body, headers }] = provider.asked as [Loose]
  expect(body).not.toContain("sk-very-secret")
  expect(body).not.toContain(home)
  expect(headers["user-agent"]).toBe("koda-acp")
  expect(Object.keys(headers).filter((name) => name.startsWith("x-"))).toEqual([])
})
