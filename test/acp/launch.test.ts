import { expect, test } from "vitest"
import { storeFolder } from "../../src/acp/launch.ts"
import { testRuntime } from "../support/runtime.ts"

test("sessions are kept in the folder that is named, from the home or from where koda was started; blanks name none", () => {
  const { system } = testRuntime()
  const kept = (folder: string) =>
    storeFolder({ system: { ...system, env: () => ({ KODA_ACP_SESSION_STORE_DIR: folder }) } }, {})
  expect(["/a/b", "~/a", "a", "", " "].map(kept)).toEqual([
    "/a/b",
    `${system.home}/a`,
    `${system.cwd}/a`,
    undefined,
    undefined,
  ])
})
