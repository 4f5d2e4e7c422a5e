import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type ClientOptions, SECRET, STANDARD, workshop } from "../support/client.ts"
import { refuses, says } from "../support/provider.ts"
import { says as text } from "../support/replies.ts"

/** What comes of a prompt to a model that fails so. */
async function failing(kind: string, client: ClientOptions) {
  const scenario = `turns: [{ steps: [{ error: { kind: ${kind}, message: "It said no" } }] }]`
  const files = await workshop({ files: { "play.yaml": scenario } })
  const { session } = await workshop({ launch: { scenario: join(files.cwd, "play.yaml") } })
  const { client: koda, sessionId } = await session(client)
  return await koda.answerTo("session/prompt", { sessionId, prompt: text("go") })
}

describe("R-298 R-299 R-300 JR-12 a model that fails is an error in words", () => {
  test.for(["quota", "rate_limit", "model", "network", "server", "request", "empty"])(
    "%s: with a reason in Koda's wire; in the standard the details alone, as some editors show no others",
    async (kind) => {
      const error = { code: -32603, message: "It said no" }
      expect(await failing(kind, {})).toEqual({
        error: { ...error, data: { details: "It said no", reason: `model_${kind}` } },
      })
      expect(await failing(kind, STANDARD)).toEqual({ error: { ...error, data: { details: "It said no" } } })
    },
  )

  test("too_long: what can be done about it, and the words of the provider", async () => {
    expect(await failing("too_long", {})).toMatchObject({
      error: {
        code: -32603,
        message: expect.stringMatching(/does not fit into the window.*begin a new session.*It said no/),
        data: { details: expect.stringContaining("It said no"), reason: "model_too_long" },
      },
    })
  })

  test("R-028 a key that is refused asks to sign in, in both", async () => {
    const error = {
      code: -32000,
      message: "Authentication required",
      data: { details: "It said no", reason: "auth_required" },
    }
    expect(await failing("auth", {})).toEqual({ error })
    expect(await failing("auth", STANDARD)).toEqual({ error })
  })
})

describe("JR-12 what a provider says reaches the user", () => {
  const answerTo = async (...scripts: Parameters<Awaited<ReturnType<typeof workshop>>["provider"]["script"]>) => {
    const { session, provider } = await workshop()
    provider.script(...scripts)
    const { client, sessionId } = await session()
    const answer = await client.answerTo("session/prompt", { sessionId, prompt: text("go") })
    return { answer, client, sessionId, provider }
  }

  test("without the key, also where the provider repeats it", async () => {
    const { answer, client } = await answerTo(refuses(401, { error: { message: `Incorrect API key: ${SECRET}` } }))
    expect(answer).toMatchObject({
      error: { code: -32000, data: { details: expect.stringContaining("refused the key") } },
    })
    expect(JSON.stringify(client.received)).not.toContain(SECRET)
  })

  test("without the tags of a page", async () => {
    const page = "<html><head><title>Bad Request</title></head><body><h1>Nope</h1></body></html>"
    const { answer } = await answerTo(refuses(400, page))
    expect(answer).toMatchObject({ error: { message: expect.stringMatching(/Bad Request$/) } })
    expect(JSON.stringify(answer)).not.toContain("<")
  })

  test("as it is: an unknown model", async () => {
    const { answer } = await answerTo(refuses(404, { error: { message: "The model `m` does not exist" } }))
    expect(answer).toMatchObject({ error: { code: -32603, data: { reason: "model_model" } } })
    expect(answer).toMatchObject({ error: { message: expect.stringContaining("The model `m` does not exist") } })
  })

  test("CX-05 and the session goes on", async () => {
    const { client, sessionId, provider } = await answerTo(refuses(400, "no"))
    provider.script(says("Here again."))
    expect(await client.request("session/prompt", { sessionId, prompt: text("go") })).toMatchObject({
      stopReason: "end_turn",
    })
    const { body } = provider.asked.at(-1)!
    expect((body["messages"] as { content: string }[]).slice(1).map(({ content }) => content)).toEqual(["go", "go"])
  })
})

test("R-301 params are refused field by field", async () => {
  const { client } = await workshop()
  const answer = await (await client()).answerTo("session/new", {
    cwd: 1,
    additionalDirectories: "none",
    coreTools: [2],
  })
  expect(answer).toMatchObject({ error: { code: -32602, data: { reason: "invalid_params" } } })
  const { issues } = (answer as { error: { data: { issues: { path: string }[] } } }).error.data
  expect(issues.map(({ path }) => path).sort()).toEqual(["additionalDirectories", "coreTools.0", "cwd"])
})

test("R-301 params that are no object are refused in words", async () => {
  const { client } = await workshop()
  const koda = await client()
  for (const params of ["x", [1], null, 7]) {
    const { error } = await koda.requestAs(`p${JSON.stringify(params)}`, "session/new", params as never)
    expect([error?.code, typeof error?.data.details]).toEqual([-32602, "string"])
  }
})
