import { expect, test } from "vitest"
import { boundedFetch } from "../../src/mcp/http.ts"
import type { FetchInit } from "../../src/runtime.ts"
import { never } from "../support/scripted.ts"

/** A fetch that finds these addresses for a host, and tells what it was asked. */
function world(addresses: Record<string, string>) {
  const asked: [string, Record<string, string> | undefined][] = []
  const fetch = async (url: string | URL, { headers, check }: FetchInit) => {
    const to = new URL(url)
    check?.([addresses[to.hostname] ?? "8.8.8.8"])
    asked.push([to.href, headers])
    return new Response("{}")
  }
  return { fetch, asked }
}

test("headers of a server go to nobody else to whom its login leads", async () => {
  const { fetch, asked } = world({})
  const bounded = boundedFetch(fetch, never, { origin: "https://mcp.example", headers: { "X-Key": "k" } })
  await bounded("https://mcp.example/mcp", { headers: { accept: "a" } })
  await bounded("https://login.example/token", { method: "POST", body: new URLSearchParams({ a: "b" }) })
  expect(asked).toEqual([
    ["https://mcp.example/mcp", { accept: "a", "x-key": "k" }],
    ["https://login.example/token", { "content-type": "application/x-www-form-urlencoded" }],
  ])
})

test("a server out in the world can't send us into a private network by its login", async () => {
  const { fetch, asked } = world({ "inner.example": "10.0.0.1" })
  const bounded = boundedFetch(fetch, never, { origin: "https://mcp.example", headers: {} })
  await bounded("https://mcp.example/mcp")
  await expect(bounded("https://inner.example/")).rejects.toThrow(
    "its login leads to inner.example, in a private network",
  )
  await expect(bounded("http://login.example/")).rejects.toThrow(
    "its login leads to http://login.example, which is not https",
  )
  expect(asked).toHaveLength(1)
})

test("a server in a private network may have its login there", async () => {
  const { fetch, asked } = world({ "mcp.intranet": "10.0.0.1", "login.intranet": "10.0.0.2" })
  const bounded = boundedFetch(fetch, never, { origin: "http://mcp.intranet", headers: {} })
  await bounded("http://mcp.intranet/mcp")
  await bounded("http://login.intranet/")
  expect(asked).toHaveLength(2)
})
