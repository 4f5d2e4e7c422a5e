import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { bubblewrapped } from "../../src/workspace/bubblewrap.ts"
import { confineTo, findSandbox } from "../../src/workspace/sandbox.ts"
import { seatbelted } from "../../src/workspace/seatbelt.ts"
import { folderOf } from "../support/folder.ts"
import { commandsHere, run, thisMachine, until } from "./this-machine.ts"

const isLinux = thisMachine().system.os === "linux"
const works = isLinux && !("missing" in (await findSandbox(thisMachine())))

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
    expect(asked).toContain(`--bind-try\n${root}\n${root}\n`)
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

  describe.runIf(works)("for real, where this machine has it", () => {
    test("commands write in the workspace and among temporary files, and nowhere else", async () => {
      const inside = await folderOf({})
      const rig = await commandsHere({ confine: confineTo(thisMachine(), [inside], false) })
      const outside = "/usr/koda-sandbox-test" // no temporary folder on any system, and not this checkout, which may be in one
      const { text, ending } = await run(
        rig,
        `touch '${inside}/a' && echo in; touch "$(mktemp)" && echo temp; touch '${outside}' 2>/dev/null || echo out; exit 3`,
      )
      expect(text).toBe("in\ntemp\nout\n")
      expect(ending).toMatchObject({ type: "exited", code: 3 })
    })

    test("not even root makes the rest writable again, or the keys readable", async () => {
      const home = await folderOf({ ".ssh/id": "key", ".npmrc": "token", work: "" })
      const secrets = [`${home}/.ssh`, `${home}/.npmrc`, `${home}/.aws`]
      const rig = await commandsHere({ confine: confineTo(thisMachine(), [], false, secrets) })
      const tries = [
        "mount -o remount,rw,bind /",
        "mount -o remount,rw /",
        "unshare -Urm mount -o remount,rw,bind /",
        `umount '${home}/.ssh'`,
        `unshare -Urm sh -c "umount '${home}/.ssh' && cat '${home}/.ssh/id'"`,
      ]
      const { text } = await run(rig, tries.map((one) => `${one} 2>/dev/null && echo escaped`).join("\n"))
      expect(text).toBe("")
      expect((await run(rig, `ls '${home}/.ssh'; cat '${home}/.npmrc' && echo empty`)).text).toBe("empty\n")
    })

    test("programs outside that listen among the temporary files are out of reach", async () => {
      const temp = await folderOf({
        "tmux-0/default": "",
        "ssh-XXXXabcdefgh/agent.1": "",
        "screenshot.png": "",
        "ssh-keys": "",
      })
      const machine = thisMachine()
      const there = { ...machine, system: { ...machine.system, temp } }
      const rig = await commandsHere({ machine: there, confine: confineTo(there, [], false) })
      const { text } = await run(rig, `cd '${temp}' && find . -type f | sort`)
      expect(text).toBe("./screenshot.png\n./ssh-keys\n")
    })

    test("sockets that the environment names, and those of machines at home, are out of reach", async () => {
      const home = await folderOf({ ".docker/run/docker.sock": "" })
      const listening = createServer().listen(join(home, "agent.sock"))
      onTestFinished(() => void listening.close())
      await once(listening, "listening")
      const machine = thisMachine({ DOCKER_HOST: `unix://${home}/agent.sock` })
      const there = { ...machine, system: { ...machine.system, home } }
      const tries = `[ -S '${home}/agent.sock' ] && echo socket; ls '${home}/.docker/run'`
      expect((await run(await commandsHere(), tries)).text).toBe("socket\ndocker.sock\n")
      const rig = await commandsHere({ machine: there, confine: confineTo(there, [], false) })
      expect((await run(rig, tries)).text).toBe("")
    })

    test("keys in a folder one works in are its files like others", async () => {
      const home = await folderOf({ ".ssh/id": "key" })
      const rig = await commandsHere({ confine: confineTo(thisMachine(), [home], false, [`${home}/.ssh`]) })
      expect((await run(rig, `cat '${home}/.ssh/id'`)).text).toBe("key")
    })

    test("a folder of the workspace that is gone keeps no command from running", async () => {
      const rig = await commandsHere({ confine: confineTo(thisMachine(), [join(await folderOf({}), "gone")], false) })
      expect((await run(rig, "echo hi")).text).toBe("hi\n")
    })

    test("there is no network but where it is allowed", async () => {
      const network = async (allowed: boolean) => {
        const rig = await commandsHere({ confine: confineTo(thisMachine(), [], allowed) })
        return (await run(rig, "readlink /proc/self/ns/net")).text.trim()
      }
      const ours = (await run(await commandsHere(), "readlink /proc/self/ns/net")).text.trim()
      expect(await network(true)).toBe(ours)
      expect(await network(false)).not.toBe(ours)
    })

    test("what a command leaves running ends with it", async () => {
      const rig = await commandsHere({ confine: confineTo(thisMachine(), [], false) })
      const seconds = `600.${process.pid}`
      await run(rig, `setsid sleep ${seconds} >/dev/null 2>&1 & echo started`)
      const rest = await commandsHere()
      await until(async () => (await run(rest, `pgrep -fx 'sleep ${seconds}' || echo none`)).text === "none\n")
    })
  })
})

test("Windows has none", async () => {
  const machine = thisMachine()
  expect(await findSandbox({ ...machine, system: { ...machine.system, os: "windows" } })).toEqual({
    missing: "Windows has none that koda can use",
  })
})

test("with the network allowed none of it is taken away, and sockets of others are out of reach", () => {
  const hidden = [
    { path: "/h/.ssh", isFolder: true },
    { path: "/h/.npmrc", isFolder: false },
  ]
  const bounds = { writable: ["/w"], temp: "/tmp", hidden, network: true }
  const ground = { hasRun: true, isRoot: false }
  expect(bubblewrapped("/usr/bin/bwrap", bounds, ground, ["sh", "-c", "x"], "/w").join(" ")).toBe(
    "/usr/bin/bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /run " +
      "--ro-bind-try /run/current-system /run/current-system --ro-bind-try /run/wrappers /run/wrappers " +
      "--ro-bind-try /run/systemd/resolve /run/systemd/resolve " +
      "--ro-bind-try /run/NetworkManager/resolv.conf /run/NetworkManager/resolv.conf " +
      "--ro-bind-try /run/resolvconf /run/resolvconf " +
      "--bind-try /tmp /tmp --tmpfs /h/.ssh --dev-bind /dev/null /h/.npmrc --bind-try /w /w " +
      "--unshare-pid --unshare-ipc --die-with-parent --new-session --chdir /w -- sh -c x",
  )
})

test("a workspace that is all of the disk leaves programs outside as far away", () => {
  const bounds = { writable: ["/"], hidden: [], network: true }
  const asked = bubblewrapped("bwrap", bounds, { hasRun: true, isRoot: false }, ["x"], "/").join(" ")
  expect(asked).toMatch(/^bwrap --bind \/ \/ --dev \/dev --proc \/proc --tmpfs \/run /)
  expect(asked).not.toContain("--bind-try / /")
})

test("root keeps its say over files and loses the one over the machine", () => {
  const bounds = { writable: [], hidden: [], network: false }
  const asked = bubblewrapped("bwrap", bounds, { hasRun: false, isRoot: true }, ["x"], "/").join(" ")
  expect(asked).toContain("--cap-drop ALL --cap-add CAP_CHOWN --cap-add CAP_DAC_OVERRIDE")
  expect(asked).not.toContain("SYS_ADMIN")
})

test("what macOS is given names the folders in quotes", () => {
  const [program, flag, profile, ...rest] = seatbelted(
    { writable: ['/w "x"'], hidden: [{ path: "/h/.ssh", isFolder: true }], network: false },
    ["sh"],
  )
  expect([program, flag, rest]).toEqual(["/usr/bin/sandbox-exec", "-p", ["sh"]])
  expect(profile).toContain('(allow file-write* (subpath "/w \\"x\\""))')
  expect(profile).toContain('(deny file-read* file-write* (subpath "/h/.ssh"))')
  expect(profile).toContain("(deny network*)")
})
