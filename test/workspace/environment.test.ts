import { expect, test } from "vitest"
import {
  childEnvironment,
  commandEnvironment,
  readingEnvironment,
  UNATTENDED,
} from "../../src/workspace/environment.ts"

test("SH-09 a program we start is given our environment without our keys, and the PATH that was completed", () => {
  const env = {
    KODA_API_KEY: "k",
    OPENAI_API_KEY: "o",
    BUN_OPTIONS: "x",
    BUN_BE_BUN: "1",
    BASH_ENV: "/x",
    CDPATH: "/elsewhere",
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

test("PE-05 nothing in the environment of a command that runs unasked has another program run than the machine's", () => {
  const env = {
    PATH: "./node_modules/.bin:/w/node_modules/.bin:/w/.venv/bin:/home/me/bin:/usr/bin::bin:/bin",
    "BASH_FUNC_ls%%": "() { rm -rf x; }",
    GIT_EXTERNAL_DIFF: "evil",
    GIT_DIR: "/elsewhere",
    RIPGREP_CONFIG_PATH: "/elsewhere",
    GIT_AUTHOR_NAME: "me",
  }
  const name = { GIT_AUTHOR_NAME: "me" }
  expect(readingEnvironment(env, ["/w"], "/home/me")).toEqual({ PATH: "/home/me/bin:/usr/bin:/bin", ...name })
  // A home that is worked in is no project that somebody else has made.
  expect(readingEnvironment({ PATH: "/home/me/bin" }, ["/home/me"], "/home/me")).toEqual({ PATH: "/home/me/bin" })
})
