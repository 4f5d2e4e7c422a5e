import { chmod, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { nodeRuntime } from "../../runtime/node/runtime.ts"
import { type Clock, systemClock } from "../../src/clock.ts"
import { completePath } from "../../src/workspace/login-path.ts"
import { handClock } from "../support/clock.ts"
import { temporaryFolder, until } from "./this-machine.ts"

/** The PATH as completed by a shell that does what its script says before it obeys. */
async function pathBy(script: string, ours: string | undefined, clock: Clock = systemClock) {
  const folder = await temporaryFolder()
  const shell = join(folder, "shell")
  await writeFile(shell, `#!/bin/sh\n${script.replaceAll("HERE", folder)}\n`)
  await chmod(shell, 0o755)
  const { processes, system } = nodeRuntime()
  const env = { SHELL: shell, KODA_API_KEY: "secret", ...(ours !== undefined && { PATH: ours }) }
  return { folder, path: completePath(processes, { ...system, env: () => env }, clock) }
}

/** Does what a shell does with `-i -l -c command`. */
const OBEY = 'eval "$4"'

test("the PATH is completed from the login shell: ours first, theirs after, nothing twice", async () => {
  const { path } = await pathBy(`export PATH=/opt/tools/bin:/usr/bin:/bin; ${OBEY}`, "/ours:/usr/bin")
  expect(await path()).toBe("/ours:/usr/bin:/opt/tools/bin:/bin")
})

test("a noisy profile does no harm", async () => {
  const noise = "echo welcome; printf '\\033[31mno line end'; set -x; export PATH=/theirs:/bin:/usr/bin"
  const { path } = await pathBy(`${noise}; echo; ${OBEY}; echo bye`, "/ours")
  expect(await path()).toBe("/ours:/theirs:/bin:/usr/bin")
})

test("the login shell is asked once, and does not see our keys", async () => {
  const { folder, path } = await pathBy(`export PATH=/bin:/usr/bin; env >> HERE/seen; ${OBEY}`, "/ours")
  await Promise.all([path(), path()])
  await path()
  const seen = await readFile(join(folder, "seen"), "utf8")
  expect({ times: seen.match(/^SHELL=/gm)?.length, secret: seen.includes("secret") }).toEqual({
    times: 1,
    secret: false,
  })
})

test("a login shell that fails, says nothing or is not there leaves our PATH as it is", async () => {
  const paths = [
    await pathBy("exit 1", "/ours"),
    await pathBy("echo nothing", "/ours"),
    await pathBy('unset PATH; eval "$4"', "/ours"),
  ]
  const { processes, system } = nodeRuntime()
  const missing = completePath(
    processes,
    { ...system, env: () => ({ SHELL: "/no/shell", PATH: "/ours" }) },
    systemClock,
  )
  const none = completePath(processes, { ...system, env: () => ({ PATH: "/ours" }) }, systemClock)
  expect([...(await Promise.all(paths.map(({ path }) => path()))), await missing(), await none()]).toEqual(
    Array(5).fill("/ours"),
  )
})

test("a login shell that takes too long is left behind", async () => {
  const clock = handClock()
  const { folder, path } = await pathBy("echo $$ > HERE/pid; sleep 600", "/ours", clock)
  const answer = path()
  await until(() =>
    readFile(join(folder, "pid"), "utf8").then(
      (text) => text.endsWith("\n"),
      () => false,
    ),
  )
  clock.pass(2_000)
  expect(await answer).toBe("/ours")
})
