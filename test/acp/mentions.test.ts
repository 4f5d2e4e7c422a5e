import { symlink } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { isSecretName } from "../../src/acp/left-out.ts"
import { mentionsIn } from "../../src/acp/mentions.ts"
import { type Loose, workshop } from "../support/client.ts"
import { folderOf } from "../support/folder.ts"
import { says } from "../support/provider.ts"
import { says as text } from "../support/replies.ts"

describe("words with an @", () => {
  test.each([
    ["see @src/a.ts, please", [{ said: "@src/a.ts", path: "src/a.ts" }]],
    ["@a.ts:10-20", [{ said: "@a.ts:10-20", path: "a.ts", from: 10, to: 20 }]],
    ["(@a.ts#L7)", [{ said: "@a.ts#L7", path: "a.ts", from: 7, to: 7 }]],
    ["@a.ts#L7-L9.", [{ said: "@a.ts#L7-L9", path: "a.ts", from: 7, to: 9 }]],
    [
      '@"my notes.md" and @src/',
      [
        { said: '@"my notes.md"', path: "my notes.md" },
        { said: "@src/", path: "src/" },
      ],
    ],
    ["mail me@example.com", []],
    ["@ alone", []],
    ["```ts\n@Component\n```", []],
    ["@a @a", [{ said: "@a", path: "a" }]],
  ])("%s", (words, mentions) => {
    expect(mentionsIn(text(words))).toEqual(mentions)
  })

  test("of what an editor puts into the prompt none is looked for", () => {
    expect(mentionsIn([{ type: "text", text: '<resource uri="file:///x">\n@a.ts\n</resource>' }])).toEqual([])
  })

  test("names under which secrets are kept", () => {
    const names = [".env", ".env.local", ".env.example", "a/key.pem", "id_rsa", "id_rsa.pub", "env.ts", ".npmrc"]
    expect(names.filter(isSecretName)).toEqual([".env", ".env.local", "a/key.pem", "id_rsa", ".npmrc"])
  })
})

/** What the model is told of a prompt. */
async function told(words: string, files: Parameters<typeof folderOf>[0], more: (cwd: string) => unknown = () => {}) {
  const place = await workshop({ files })
  await more(place.cwd)
  place.provider.script(says("ok"))
  const { client, sessionId } = await place.session()
  await client.request("session/prompt", { sessionId, prompt: text(words) })
  return (place.provider.asked[0]!.body["messages"] as Loose[])[1].content
}

test("a file is found however the accents of its name are composed", async () => {
  const name = "Отчёт/план й.md"
  const content = await told(`see @"${name.normalize("NFC")}"`, { [name.normalize("NFD")]: "the plan\n" })
  expect(content).toContain("the plan")
})

test("a file, a part of one, a folder and an image are read for the model, after the words", async () => {
  const png = Uint8Array.from(atob("iVBORw0KGgo="), (sign) => sign.charCodeAt(0))
  const content = await told("compare @a.txt:2-3 with @src and @p.png, not @gone.txt or @koda", {
    "a.txt": "one\ntwo\nthree\nfour\n",
    "src/b.ts": "",
    "src/c/d.ts": "",
    "p.png": png,
  })
  const words = content.map((part: Loose) => part.text ?? part.image_url.url).join("")
  expect(words).toBe(
    "compare @a.txt:2-3 with @src and @p.png, not @gone.txt or @koda\n\n" +
      '<resource uri="@a.txt:2-3">\ntwo\nthree\n</resource>\n\n<resource uri="@src">\nb.ts\nc/\n</resource>' +
      "data:image/png;base64,iVBORw0KGgo=",
  )
})

test("what is ignored, secret, version control's or outside of the workspace is not included, and it says so", async () => {
  const outside = await folderOf({ "x.txt": "outside words" })
  const content = await told(
    `@dist/a.js @.env @.git/config @link.txt @${outside}/x.txt @.kodaignored @dist`,
    {
      ".gitignore": "dist\n",
      ".kodaignore": ".kodaignored\n",
      "dist/a.js": "built words",
      ".env": "KEY=secret words",
      ".git/config": "git words",
      ".kodaignored": "ignored words",
    },
    (cwd) => symlink(join(outside, "x.txt"), join(cwd, "link.txt")),
  )
  expect(content).not.toContain(" words")
  for (const [name, why] of [
    ["dist/a.js", "it is ignored and was not included"],
    ["dist", "it is ignored and was not included"],
    [".kodaignored", "it is ignored and was not included"],
    [".env", "it may hold secrets and was not included"],
    [".git/config", "it is version control's own and was not included"],
    ["link.txt", "it lies outside of the workspace and was not included"],
    [`${outside}/x.txt`, "it lies outside of the workspace and was not included"],
  ]) {
    expect(content).toContain(`[@${name}: ${why}]`)
  }
})
