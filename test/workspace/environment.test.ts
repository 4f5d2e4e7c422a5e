import { expect, test } from "vitest"
import { childEnvironment, commandEnvironment, UNATTENDED } from "../../src/workspace/environment.ts"

test("SH-09 a program we start is given our environment without our keys, and the PATH that was completed", () => {
  const env = {
    KODA_API_KEY: "k",
    OPENAI_API_KEY: "o",
    BUN_OPTIONS: "x",
    BUN_BE_BUN: "1",
    HOME: "/home/me",
    PATH: "/bin",
  }
  expect(childEnvironment(env, "/bin:/opt/bin")).toEqual({ HOME: "/home/me", PATH: "/bin:/opt/bin" })
  expect(childEnvironment(env)).toEqual({ HOME: "/home/me", PATH: "/bin" })
})

test("SH-03 a command is told that nobody is there, and to use no colours", () => {
  expect(commandEnvironment({ PAGER: "less", FORCE_COLOR: "1", TERM: "xterm", LANG: "C.UTF-8" })).toEqual({
    ...UNATTENDED,
    LANG: "C.UTF-8",
  })
})
