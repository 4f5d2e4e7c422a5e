import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { kodaHome } from "../../src/settings/home.ts"
import { foldersWith } from "./temporary.ts"

test("Koda home is ~/.kodacli, or where KODA_CLI_HOME says, or the .kodacli in that", async () => {
  const { files, workspace } = await foldersWith()
  const at = (KODA_CLI_HOME?: string) =>
    kodaHome(
      { home: "/home/me", cwd: "/cwd", env: () => (KODA_CLI_HOME === undefined ? {} : { KODA_CLI_HOME }) },
      files,
    )
  expect([await at(), await at(" "), await at("~/k"), await at("rel/k"), await at(`${workspace}/`)]).toEqual([
    "/home/me/.kodacli",
    "/home/me/.kodacli",
    "/home/me/k",
    "/cwd/rel/k",
    workspace,
  ])
  await mkdir(join(workspace, ".kodacli"))
  expect(await at(workspace)).toBe(join(workspace, ".kodacli"))
})
