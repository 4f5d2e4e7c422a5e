import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { bubblewrapped } from "../../src/workspace/bubblewrap.ts"
import { confineTo, findSandbox } from "../../src/workspace/sandbox.ts"
import { seatbelted } from "../../src/workspace/seatbelt.ts"
import { folderOf } from "../support/folder.ts"
import { commandsHere, run, thisMachine } from "./this-machine.ts"

const isLinux = thisMachine().system.os === "linux"

/** Stands in for bwrap: writes down what it is asked, and runs what it is given. */
const FAKE = `#!/bin/sh
printf '%s\\n' "$@" >> "$(dirname "$0")/asked"
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
`

async function fake(script: string) {
  const folder = await folderOf({ bwrap: script })
  const { chmod } = await import("node:fs/promises")
  await chmod(join(folder, "bwrap"), 0o755)
  return { folder, machine: thisMachine({ PATH: `${folder}:/usr/bin:/bin` }) }
}

describe.runIf(isLinux)("the sandbox on Linux", () => {
  test("runs commands with the workspace and the temporary folder to write in, and without network", async () => {
    const { folder, machine } = await fake(FAKE)
    const root = await folderOf({})
    const rig = await commandsHere({ machine, confine: confineTo(machine, [root], false) })
    const { text, ending } = await run(rig, "echo hi; exit 3")
    expect([text, ending]).toEqual(["hi\n", { type: "exited", code: 3, signal: null, leftovers: false }])
    const asked = (await readFile(join(folder, "asked"), "utf8")).split("--chdir\n").at(-2) ?? ""
    expect(asked).toContain(`--ro-bind\n/\n/\n`)
    expect(asked).toContain(`--bind\n${root}\n${root}\n`)
    expect(asked).toContain("--unshare-net\n--unshare-pid\n")
  })

  test("is looked for once", async () => {
    const { folder, machine } = await fake(FAKE)
    const rig = await commandsHere({ machine, confine: confineTo(machine, [folder], true) })
    await run(rig, "true")
    await run(rig, "true")
    expect((await readFile(join(folder, "asked"), "utf8")).split("--die-with-parent")).toHaveLength(4)
  })

  test("that does not work is an error, and the command is not run", async () => {
    const { machine } = await fake("#!/bin/sh\necho 'No permissions to create a new namespace' >&2\nexit 1\n")
    const rig = await commandsHere({ machine, confine: confineTo(machine, [], false) })
    await expect(run(rig, `touch '${rig.folder}/ran'`)).rejects.toThrow(
      "Commands are to run in a sandbox, and there is none: bwrap does not work here: No permissions to create a new namespace",
    )
    await expect(readFile(join(rig.folder, "ran"))).rejects.toThrow()
  })

  test("that is not there is an error that says what to install", async () => {
    const machine = thisMachine({ PATH: await folderOf({}) })
    expect(await findSandbox(machine)).toEqual({ missing: "there is no `bwrap`; install the package bubblewrap" })
  })

  test("confines for real, where this machine has one", async ({ skip }) => {
    const machine = thisMachine()
    if ("missing" in (await findSandbox(machine))) skip()
    const inside = await folderOf({})
    const rig = await commandsHere({ machine, confine: confineTo(machine, [inside], false) })
    const { text } = await run(
      rig,
      `touch '${inside}/a' && echo in; touch /etc/koda-test 2>/dev/null || echo out; ls /sys/class/net`,
    )
    expect(text).toContain("in\nout\n")
  })
})

test("Windows has none", async () => {
  const machine = thisMachine()
  expect(await findSandbox({ ...machine, system: { ...machine.system, os: "windows" } })).toEqual({
    missing: "Windows has none that koda can use",
  })
})

test("with the network allowed none of it is taken away, and sockets of others are out of reach", () => {
  const bounds = { writable: ["/w"], network: true, hasRun: true }
  expect(bubblewrapped("/usr/bin/bwrap", bounds, ["sh", "-c", "x"], "/w").join(" ")).toBe(
    "/usr/bin/bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /run " +
      "--ro-bind-try /run/systemd/resolve /run/systemd/resolve --bind /w /w " +
      "--unshare-pid --unshare-ipc --die-with-parent --new-session --chdir /w -- sh -c x",
  )
})

test("what macOS is given names the folders in quotes", () => {
  const [program, flag, profile, ...rest] = seatbelted({ writable: ['/w "x"'], network: false }, ["sh"])
  expect([program, flag, rest]).toEqual(["/usr/bin/sandbox-exec", "-p", ["sh"]])
  expect(profile).toContain('(allow file-write* (subpath "/w \\"x\\""))')
  expect(profile).toContain("(deny network*)")
})
