import { describe, expect, test } from "vitest"
import { errorIn, failureOf, type Trouble, windowIn } from "../../src/model/failure.ts"
import { mask } from "../../src/text/mask.ts"

const PLACE = { baseUrl: "https://api.example.com/v1?key=abcdefgh", model: "m", secrets: ["top-secret-1234"] }
const fail = (trouble: Trouble) => failureOf(trouble, PLACE, 0)
const kind = (status: number | undefined, body: unknown, headers: Record<string, string> = {}) =>
  fail({
    ...(status !== undefined && { status }),
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: new Headers(headers),
  }).kind
const says = (message: string, more: object = {}) => ({ error: { message, ...more } })

describe("MP-04 overflows, in the words of many servers", () => {
  test.each([
    [400, says("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens")],
    [400, says("…", { code: "context_length_exceeded" })],
    [400, says("the request exceeds the available context size, try increasing it", { n_ctx: 4096 })],
    [500, says("Context size has been exceeded.")],
    [400, { message: "prompt is too long: 208310 tokens > 200000 maximum" }],
    [400, says("input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000")],
    [400, says("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).")],
    [422, { detail: "Input is too long for requested model." }],
    [413, "<html><head><title>413 Request Entity Too Large</title></head></html>"],
    [undefined, says("Context size has been exceeded.")],
  ])("%s %j", (status, body) => {
    expect(kind(status, body)).toBe("too_long")
  })

  test("too many tokens per minute is a limit of the rate", () => {
    const words = "Request too large for m in organization org-1 on tokens per min (TPM): Limit 30000, Requested"
    expect(kind(429, says(`${words} 12000.`))).toBe("rate_limit")
    expect(kind(429, says(`${words} 48000.`))).toBe("quota") // no wait makes it small enough
  })

  test.each([
    ["This model's maximum context length is 8192 tokens. However, you requested 9000 tokens", 8192],
    ['{"error":{"n_prompt_tokens":9000,"n_ctx":4096}}', 4096],
    ["prompt is too long: 208310 tokens > 200000 maximum", 200_000],
    ["The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576],
    ["maximum context length of 131,072 tokens", 131_072],
    ["Context size has been exceeded.", undefined],
  ])("the window in %j", (text, window) => {
    expect(windowIn(text)).toBe(window)
  })
})

describe("MP-06 what may pass, and what does not", () => {
  test.each([
    [429, says("slow down"), "rate_limit"],
    [
      429,
      says("You exceeded your current quota, please check your plan and billing details.", {
        code: "insufficient_quota",
      }),
      "quota",
    ],
    [
      429,
      says("You exceeded your current quota. Please retry in 34.07s.", { details: [{ retryDelay: "34s" }] }),
      "rate_limit",
    ],
    [402, says("Payment required"), "quota"],
    [400, says("Your credit balance is too low"), "quota"],
    [401, says("no"), "auth"],
    [403, "<html>Forbidden</html>", "auth"],
    [404, says("The model `m` does not exist", { code: "model_not_found" }), "model"],
    [400, says("model 'x' not found, try pulling it first"), "model"],
    [404, "<html><title>404 Not Found</title></html>", "request"],
    [408, "", "server"],
    [409, "", "server"],
    [500, says("oops"), "server"],
    [529, says("overloaded"), "server"],
    [400, says("bad"), "request"],
    [422, { detail: [{ msg: "field required" }] }, "request"],
    [301, "", "request"],
  ] as const)("%s %j is %s", (status, body, expected) => {
    expect(kind(status, body)).toBe(expected)
  })
})

describe("messages for a person", () => {
  const message = (trouble: Trouble) => fail(trouble).message

  test("MP-08 name the address without its query, and the model", () => {
    expect(message({ status: 500, body: '{"error":{"message":"oops"}}' })).toBe(
      'https://api.example.com/v1 failed to answer for model "m" (500): oops',
    )
  })

  test("a page of HTML is its title", () => {
    expect(message({ status: 502, body: "<html><head><title>502 Bad Gateway</title></head><body><h1>…" })).toBe(
      'https://api.example.com/v1 failed to answer for model "m" (502): 502 Bad Gateway',
    )
    expect(message({ status: 404, body: "<h1>Nothing <b>here</b></h1>" })).toBe(
      'https://api.example.com/v1 has no chat completions (404); check the base URL of model "m": Nothing here',
    )
  })

  test("a redirect says where to", () => {
    expect(message({ status: 308, headers: new Headers({ location: "https://b.example.com/v1?token=x" }) })).toBe(
      'https://api.example.com/v1 redirects to https://b.example.com/v1; make that the base URL of model "m"',
    )
  })

  test.each([
    [{ error: "plain" }, "plain"],
    [{ message: "plain" }, "plain"],
    [{ detail: [{ msg: "a" }, { msg: "b" }] }, "a; b"],
    [[{ error: { message: "in a list" } }], "in a list"],
    [
      { error: { message: "Provider returned error", metadata: { raw: '{"error":{"message":"why"}}' } } },
      "Provider returned error (why)",
    ],
    [{ odd: 1 }, '{"odd":1}'],
  ])("the words of %j", (body, words) => {
    expect(message({ status: 400, body: JSON.stringify(body) })).toBe(
      `https://api.example.com/v1 did not accept the request for model "m" (400): ${words}`,
    )
  })

  test("very long ones are cut", () => {
    expect(message({ status: 400, body: "x".repeat(5000) }).length).toBeLessThan(800)
  })

  test("MP-09 fetch failed tells its cause", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" })
    const error = new Error("Connection error.", {
      cause: new TypeError("fetch failed", { cause: new AggregateError([refused]) }),
    })
    expect(message({ error })).toBe(
      'No answer, or not all of it, came from https://api.example.com/v1 for model "m": connection refused; is the server running? (connect ECONNREFUSED 127.0.0.1:1)',
    )
    const certificate = Object.assign(new Error("self-signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" })
    expect(message({ error: new TypeError("fetch failed", { cause: certificate }) })).toContain("NODE_EXTRA_CA_CERTS")
  })
})

describe("secrets", () => {
  test("are masked however they are spelled", () => {
    expect(mask('top-secret-1234 a%2Fb+"x"', ["top-secret-1234"])).toBe('*** a%2Fb+"x"')
    expect(mask("got a%2Fb%2Bc and a/b+c", ["a/b+c"])).toBe("got *** and ***")
    expect(mask('{"key":"a\\"b-c-d"}', ['a"b-c-d'])).toBe('{"key":"***"}')
  })

  test("so is what looks like one", () => {
    expect(mask("Bearer abcdefghijkl sk-proj-abcdefghijklmnop https://h/?api_key=abcdefghij", [])).toBe(
      "Bearer *** *** https://h/?api_key=***",
    )
  })

  test("a short word is no secret", () => {
    expect(mask("none of it", ["no"])).toBe("none of it")
  })
})

test("errors in a chunk", () => {
  expect(errorIn({ error: null, choices: [] })).toBeUndefined()
  expect(errorIn({ choices: [] })).toBeUndefined()
  expect(errorIn({ error: { message: "x", code: 502 } })).toEqual({
    status: 502,
    body: '{"error":{"message":"x","code":502}}',
  })
  expect(errorIn({ object: "error", message: "x" })).toEqual({ body: '{"error":{"object":"error","message":"x"}}' })
  expect(errorIn({ error: "x" })).toEqual({ body: '{"error":"x"}' })
})
