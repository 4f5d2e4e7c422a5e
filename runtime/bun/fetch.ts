import type { FetchInit } from "../../src/runtime.ts"
import { nodeFetch } from "../node/fetch.ts"
import { fetchFailure } from "../node/fetch-failure.ts"
import { proxyFor } from "../node/proxy.ts"

/** Bun's own fetch is ready in a millisecond, where `node:http` takes 20; it can't be told which address to connect to. */
export async function bunFetch(to: string | URL, init: FetchInit): Promise<Response> {
  if (init.check) return await nodeFetch(to, init)
  const url = new URL(to)
  const { signal } = init
  try {
    return await fetch(url, {
      method: init.method ?? "GET",
      headers: { "accept-encoding": "identity", ...init.headers },
      ...(init.body !== undefined && { body: init.body }),
      signal,
      redirect: "manual",
      timeout: false,
      proxy: proxyFor(url, process.env)?.href ?? false,
    } as RequestInit)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw fetchFailure(error, url)
  }
}
