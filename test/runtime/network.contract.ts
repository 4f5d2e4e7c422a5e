import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { AUTHORITY } from "./certificates.ts"
import { ok, serverThat, tlsServerThat } from "./servers.ts"
import { all } from "./stdio.contract.ts"
import { never, type Suite } from "./suite.ts"

/** What an environment says of the network: proxies and authorities. */
export function networkContract({ test, runtime, program }: Suite): void {
  const get = async (url: string) => await (await runtime.fetch(url, { signal: never })).text()

  /** What a program that starts in such an environment fetches; twice, the second time by checked addresses. */
  const fetched = async (url: string, env: Record<string, string>) => {
    const base = Object.entries(process.env).filter(([name]) => !ALL.includes(name))
    const child = spawn(program[0], [...program.slice(1), "fetches"], {
      env: { ...Object.fromEntries(base), URL: url, ...env },
    })
    const [stdout] = await Promise.all([all(child.stdout), all(child.stderr)])
    return stdout.toString()
  }

  test("MP-09 fetch: an authority of the environment is trusted, in both variables; without it the error says what to do", async (folder) => {
    const server = await tlsServerThat((socket) => socket.write(ok("safe")))
    const url = `https://localhost:${server.port}/`
    const file = join(folder, "ca.pem")
    await writeFile(file, AUTHORITY)
    for (const env of [
      { NODE_EXTRA_CA_CERTS: file },
      { SSL_CERT_FILE: file },
      { NODE_EXTRA_CA_CERTS: file, SSL_CERT_FILE: file },
      { NODE_EXTRA_CA_CERTS: file, SSL_CERT_FILE: join(folder, "missing") },
    ]) {
      assert.equal(await fetched(url, env), "safe\nsafe\n", Object.keys(env).join())
    }
    assert.match(await fetched(url, {}), /^(.*localhost:\d+: .*NODE_EXTRA_CA_CERTS\n){2}$/)
    server.close()
  })

  test("MP-09 fetch: http goes to the proxy by its whole address, with the proxy's login", async () => {
    const proxy = await serverThat((socket) => socket.write(ok("from the proxy")))
    const address = `127.0.0.1:${proxy.port}`
    for (const env of [
      { HTTP_PROXY: `http://us%20er:p%40ss@${address}` },
      { http_proxy: `us%20er:p%40ss@${address}`, HTTP_PROXY: "http://127.0.0.1:1" },
      { ALL_PROXY: `http://us%20er:p%40ss@${address}` },
      { all_proxy: `http://us%20er:p%40ss@${address}`, NO_PROXY: "other.test" },
    ]) {
      await withEnvironment(env, async () => assert.equal(await get("http://example.test/a?b=c"), "from the proxy"))
      const request = proxy.requests.pop()!
      assert.match(request, /^GET http:\/\/example\.test\/a\?b=c HTTP\/1\.1\r\n/)
      assert.match(request, /\r\nhost: example\.test\r\n/i)
      assert.match(request, new RegExp(`\r\nproxy-authorization: Basic ${btoa("us er:p@ss")}\r\n`, "i"))
    }
    proxy.close()
  })

  test("MP-09 fetch: NO_PROXY names what is reached directly; our own machine always is", async () => {
    const server = await serverThat((socket) => socket.write(ok("direct")))
    const proxy = await serverThat((socket) => socket.write(ok("proxy")))
    const HTTP_PROXY = `http://127.0.0.1:${proxy.port}`
    await withEnvironment({ HTTP_PROXY }, async () => {
      assert.equal(await get(server.url), "direct")
      assert.equal(await get(`http://localhost:${server.port}/`), "direct")
      assert.equal(await get("http://no-such-host.invalid/"), "proxy")
    })
    for (const NO_PROXY of ["a.test, invalid", "*", ".invalid", "*.invalid", "no-such-host.invalid:80"]) {
      await withEnvironment({ HTTP_PROXY, NO_PROXY }, async () => {
        await assert.rejects(get("http://no-such-host.invalid/"), /no-such-host/, NO_PROXY)
      })
    }
    for (const no_proxy of ["alid", "no-such-host.invalid:81", "host.invalid.test"]) {
      await withEnvironment({ HTTP_PROXY, no_proxy }, async () => {
        assert.equal(await get("http://no-such-host.invalid/"), "proxy", no_proxy)
      })
    }
    server.close()
    proxy.close()
  })

  test("MP-09 fetch: https goes through a tunnel that the proxy makes, and the certificate is the host's", async (folder) => {
    const server = await tlsServerThat((socket) => socket.write(ok("through the tunnel")))
    const proxy = await serverThat((socket) => {
      const onward = connect(server.port, "127.0.0.1", () => {
        socket.removeAllListeners("data")
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
        socket.pipe(onward).pipe(socket)
      })
      onward.on("error", () => {}) // the test ends it
    })
    await writeFile(join(folder, "ca.pem"), AUTHORITY)
    const env = {
      HTTPS_PROXY: `http://me:secret@127.0.0.1:${proxy.port}`,
      NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
    }
    assert.equal(await fetched("https://example.test/", env), "through the tunnel\nthrough the tunnel\n")
    for (const request of proxy.requests) {
      assert.match(request, /^CONNECT example\.test:443 HTTP\/1\.1\r\n/)
      assert.match(request, new RegExp(`proxy-authorization: Basic ${btoa("me:secret")}\r\n`, "i"))
    }
    assert.match(await fetched("https://wrong.test/", env), /^(could not fetch from wrong\.test: .*\n){2}$/)
    server.close()
    proxy.close()
  })

  test("MP-09 fetch: a proxy that refuses, or that can't be used, is named without its password", async () => {
    const proxy = await serverThat((socket) => socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n"))
    await withEnvironment({ HTTPS_PROXY: `http://me:secret@127.0.0.1:${proxy.port}` }, async () => {
      await assert.rejects(get("https://example.test/"), (error: Error) => {
        assert.match(error.message, /example\.test/)
        assert.doesNotMatch(error.message, /secret/)
        return true
      })
    })
    await withEnvironment({ ALL_PROXY: "socks5://me:secret@127.0.0.1:1080" }, async () => {
      await assert.rejects(get("https://example.test/"), (error: Error) => {
        assert.match(error.message, /socks5.*HTTPS_PROXY/)
        assert.doesNotMatch(error.message, /secret/)
        return true
      })
    })
    proxy.close()
  })
}

const NAMES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()])
const ALL = [...NAMES, "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"]

/** What the machine itself says of these is put aside. */
async function withEnvironment(env: Record<string, string>, body: () => Promise<void>): Promise<void> {
  const before = ALL.map((name) => [name, process.env[name]] as const)
  for (const name of ALL) delete process.env[name]
  Object.assign(process.env, env)
  try {
    await body()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}
