import { expect, test } from "vitest"
import { checkSettings } from "../../src/settings/check.ts"

/** What holds of a text, and what is wrong with it. */
function check(text: string) {
  const { said, problems } = checkSettings("/s.json", text)
  return { said, problems: problems.map(({ message }) => message.replace("/s.json:", "")) }
}

test("every key is read, with comments and trailing commas", () => {
  const text = `{
    // what I work with
    "model": "a", "approvalMode": "auto_edit", "mode": "act", "uiLanguage": "ru",
    "coreTools": ["read_file"], "excludeTools": ["web_fetch"],
    "mcpServers": { "db": { "command": "db-server", "args": ["-v"], "env": { "PORT": 5432 }, "theirs": { "x": 1 } } },
    "subagents": { "enabled": true, "maxConcurrent": 4, "tools": null, "later": 1 },
    "plugins": ["/p"], "hooks": { "preToolUse": ["check"], "stop": { "command": "bell", "timeoutMs": 10 } },
    "sandbox": true, "webSearch": { "url": "http://localhost:8080", "apiKey": "k" },
    "webFetch": { "allowHosts": ["a.example"] }, "lintCommand": "lint {files}", "localModels": false,
    "reasoningEffort": { "a": "high" }, "contextWindow": { "a": 1000 }, "maxTurnRequests": 10, "mcpTimeoutMs": 5,
    "trustedWorkspaces": ["/w"], "permissions": { "allow": ["npm test"] }, "unknown": { "of": "ours" },
  }`
  expect(check(text)).toEqual({
    said: {
      model: "a",
      approvalMode: "auto_edit",
      mode: "code",
      uiLanguage: "ru",
      coreTools: ["read_file"],
      excludeTools: ["web_fetch"],
      mcpServers: { db: { command: "db-server", args: ["-v"], env: { PORT: "5432" }, theirs: { x: 1 } } },
      subagents: { enabled: true, maxConcurrent: 4, tools: null, later: 1 },
      plugins: ["/p"],
      hooks: { preToolUse: [{ command: "check" }], stop: [{ command: "bell", timeoutMs: 10 }] },
      sandbox: { enabled: true, network: false },
      webSearch: { url: "http://localhost:8080", apiKey: "k" },
      webFetch: { allowHosts: ["a.example"] },
      lintCommand: "lint {files}",
      localModels: false,
      reasoningEffort: { a: "high" },
      contextWindow: { a: 1000 },
      maxTurnRequests: 10,
      mcpTimeoutMs: 5,
      trustedWorkspaces: ["/w"],
      permissions: { allow: ["npm test"] },
    },
    problems: [],
  })
})

test("a wrong value is told with its line, and costs only itself", () => {
  const text = `{
    "model": "a",
    "approvalMode": "always",
    "maxTurnRequests": 0,
    "mcpTimeoutMs": "soon",
    "excludeTools": ["web_fetch", 7],
    "contextWindow": { "a": 1000,
      "b": "big" },
    "mcpServers": {
      "good": { "url": "http://a" },
      "bad": {
        "args": ["x"] }
    },
    "hooks": { "before": "x" }
  }`
  expect(check(text)).toEqual({
    said: {
      model: "a",
      excludeTools: ["web_fetch"],
      contextWindow: { a: 1000 },
      mcpServers: { good: { url: "http://a" } },
      hooks: {},
    },
    problems: [
      '3: "approvalMode" must be one of read_only, default, auto_edit, yolo, not "always"',
      '4: "maxTurnRequests" must be 1 or more',
      '5: "mcpTimeoutMs" must be a number, not "soon"',
      '6: "excludeTools.1" must be a text, not 7',
      '8: "contextWindow.b" must be a number, not "big"',
      '11: "mcpServers.bad" needs a "command" or a "url"',
      '14: "hooks.before" is not known here',
    ],
  })
})

test("a fault in the file is told with its line, and what stands before it holds", () => {
  expect(check('{\n  "model": "a",\n  "mode": ask\n}')).toEqual({
    said: { model: "a" },
    problems: ["3: a value is expected here; what follows is not read"],
  })
  expect(check("[]").problems).toEqual(['1: settings must be an object: { "key": value }'])
  expect([check(""), check("// nothing yet\n")]).toEqual([
    { said: {}, problems: [] },
    { said: {}, problems: [] },
  ])
})

test("a sandbox that is asked for in the wrong words is asked for all the same", () => {
  expect(check('{"sandbox": "on"}')).toEqual({
    said: { sandbox: { enabled: true, network: false } },
    problems: ['1: "sandbox" must be true, false or {"network": true}'],
  })
})

test("a key may be written with its path", () => {
  expect(check('{"sandbox.network": true, "webFetch.allowHosts": ["a"], "webFetch": {}}').said).toEqual({
    sandbox: { enabled: true, network: true },
    webFetch: { allowHosts: ["a"] },
  })
  expect(check('{\n"webFetch.allowHosts":\n7}').problems).toEqual(['2: "webFetch.allowHosts" must be a list, not 7'])
})

test("a value that may be a secret is not repeated", () => {
  const text =
    '{"webSearch": {"url": "http://a", "apiKey": 123456}, "mcpServers": {"a": {"url": "x", "env": {"KEY": [123456]}}}}'
  const { problems } = check(text)
  expect([problems.length, problems.join().includes("123456")]).toEqual([2, false])
})
