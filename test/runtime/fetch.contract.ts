import assert from "node:assert/strict"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { ok, serverThat } from "./servers.ts"
import { bytesOf, never, type Suite, soon, textOf, until } from "./suite.ts"

export function fetchContract({ test, runtime }: Suite): void {
  const { fetch } = runtime

  test("fetch: method, path, headers and body arrive; status, headers and body come back", async () => {
    const server = await serverThat((socket) =>
      socket.write("HTTP/1.1 201 Made\r\nx-a: 1\r\nx-a: 2\r\ncontent-length: 3\r\n\r\né!"),
    )
    for (const body of ['{"é":1}', bytesOf('{"é":1}')]) {
      const response = await fetch(`${server.url}/a%20b?c=d#e`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Mine": "yes" },
        body,
        signal: never,
      })
      assert.deepEqual([response.status, response.ok, response.headers.get("X-A")], [201, true, "1, 2"])
      assert.equal(await response.text(), "é!")
      const request = server.requests.pop()!
      assert.match(request, /^POST \/a%20b\?c=d HTTP\/1\.1\r\n/)
      assert.match(request, /\r\ncontent-type: application\/json\r\n/i)
      assert.match(request, /\r\nx-mine: yes\r\n/i)
      assert.match(request, new RegExp(`\r\nhost: 127\\.0\\.0\\.1:${server.port}\r\n`, "i"))
      assert.equal(textOf(Buffer.from(request.slice(request.indexOf("\r\n\r\n") + 4), "latin1")), '{"é":1}')
    }
    for (const method of ["GET", "DELETE"] as const) {
      await (await fetch(new URL(server.url), { method, signal: never })).text()
      assert.match(server.requests.pop()!, new RegExp(`^${method} / `))
    }
    server.close()
  })

  test("fetch: a redirect is an answer like any other, and so is a status that nobody has heard of", async () => {
    const server = await serverThat((socket, request) => {
      const status = request.split(" ")[1]!.slice(1)
      socket.write(
        `HTTP/1.1 ${status} Word\r\nlocation: /elsewhere\r\n${status === "304" || status === "204" ? "" : "content-length: 0\r\n"}\r\n`,
      )
    })
    for (const status of [302, 307, 404, 503, 204, 304, 999]) {
      const response = await fetch(`${server.url}/${status}`, { signal: never })
      assert.deepEqual(
        [response.status, response.headers.get("location"), await response.text()],
        [status, "/elsewhere", ""],
      )
    }
    assert.equal(server.requests.length, 7)
    server.close()
  })

  test("fetch: the body comes as it is sent", async () => {
    let more = () => {}
    const server = await serverThat((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\none\n\r\n")
      more = () => socket.write("4\r\ntwo\n\r\n0\r\n\r\n")
    })
    const reader = (await fetch(server.url, { signal: never })).body!.getReader()
    assert.equal(textOf((await reader.read()).value!), "one\n")
    more()
    assert.equal(textOf((await reader.read()).value!), "two\n")
    assert.equal((await reader.read()).done, true)
    server.close()
  })

  test("fetch: 100,000 events of a model's stream come whole", async () => {
    const event = `data: ${JSON.stringify({ choices: [{ delta: { content: "word " } }] })}\n\n`
    const chunk = `${event.length.toString(16)}\r\n${event}\r\n`
    const server = await serverThat((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
      for (let i = 0; i < 100; i++) socket.write(chunk.repeat(1000))
      socket.write("0\r\n\r\n")
    })
    const response = await fetch(server.url, { signal: never })
    assert.equal((await response.text()).length, event.length * 100_000)
    server.close()
  })

  test("fetch: a server waits while nobody reads the body", async () => {
    let sent = 0
    const server = await serverThat((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 4000000000\r\n\r\n")
      const block = Buffer.alloc(1_000_000)
      const send = () => {
        while (sent < 400 && socket.write(block)) sent++
        if (sent < 400) sent++
      }
      socket.on("drain", send)
      send()
    })
    const response = await fetch(server.url, { signal: never })
    let before = -1
    await until(async () => {
      const isStill = sent === before
      before = sent
      await soon(200)
      return isStill
    }, "the server to stand still")
    assert.ok(sent < 100, `${sent} MB were sent`)
    await response.body!.cancel()
    await until(() => server.connections.every((socket) => socket.destroyed), "the connection to end")
    server.close()
  })

  test("fetch: abort ends it before it starts, while it waits, and while the body comes, with the reason", async () => {
    const server = await serverThat((socket, request) => {
      if (request.startsWith("GET /body")) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nsome")
    })
    const reason = new Error("enough")
    await assert.rejects(fetch(server.url, { signal: AbortSignal.abort(reason) }), reason)
    assert.equal(server.requests.length, 0)

    const waiting = new AbortController()
    const pending = fetch(server.url, { signal: waiting.signal })
    await until(() => server.requests.length === 1, "the request")
    waiting.abort(reason)
    await assert.rejects(pending, reason)

    const reading = new AbortController()
    const reader = (await fetch(`${server.url}/body`, { signal: reading.signal })).body!.getReader()
    assert.equal(textOf((await reader.read()).value!), "some")
    reading.abort(reason)
    await assert.rejects(reader.read(), reason)
    await until(() => server.connections.every((socket) => socket.destroyed), "the connections to end")
    server.close()
  })

  test("MP-09 fetch: what stands in the way is said, down to the cause, with its code", async () => {
    const closed = await serverThat(() => {})
    closed.close()
    await assert.rejects(fetch(closed.url, { signal: never }), (error: NodeJS.ErrnoException) => {
      assert.equal(error.code, "ECONNREFUSED")
      assert.match(error.message, new RegExp(`could not fetch from 127\\.0\\.0\\.1:${closed.port}: .*ECONNREFUSED`))
      return true
    })
    await assert.rejects(
      fetch("http://no-such-host.invalid/", { signal: never }),
      /no-such-host\.invalid: .*(ENOTFOUND|EAI_AGAIN)/,
    )
  })

  test("fetch: a body that is cut off is an error, and so is a connection closed without an answer", async () => {
    const server = await serverThat((socket, request) => {
      if (request.startsWith("GET /cut"))
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n")
      socket.end()
    })
    const response = await fetch(`${server.url}/cut`, { signal: never })
    await assert.rejects(
      response.text(),
      (error: Error) => error.message !== "" && !("name" in error && error.name === "AbortError"),
    )
    await assert.rejects(fetch(server.url, { signal: never }), /could not fetch from 127\.0\.0\.1/)
    server.close()
  })

  test("fetch: a kept connection is used again; one that the server has closed meanwhile is made anew", async () => {
    let served = 0
    const server = await serverThat((socket) => {
      socket.write(ok(`${++served}`))
      if (served === 2) setTimeout(() => socket.end(), 10)
    })
    const ask = async () => await (await fetch(server.url, { method: "POST", body: "{}", signal: never })).text()
    assert.deepEqual([await ask(), await ask()], ["1", "2"])
    assert.equal(server.connections.length, 1)
    await until(() => server.connections[0]!.destroyed, "the end of the first connection")
    assert.equal(await ask(), "3")
    assert.equal(server.connections.length, 2)
    server.close()
  })

  test("fetch: a body that is sent compressed unasked is read", async () => {
    const text = "déjà vu ".repeat(1000)
    const packed = { gzip: gzipSync(text), deflate: deflateSync(text), br: brotliCompressSync(text) }
    const server = await serverThat((socket, request) => {
      const encoding = request.split(" ")[1]!.slice(1) as keyof typeof packed
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${packed[encoding].byteLength}\r\n\r\n`,
      )
      socket.write(packed[encoding])
    })
    for (const encoding of Object.keys(packed)) {
      assert.equal(await (await fetch(`${server.url}/${encoding}`, { signal: never })).text(), text)
    }
    server.close()
  })

  test("fetch: check() is shown the addresses before any is connected to, and what it throws comes back", async () => {
    const server = await serverThat((socket) => socket.write(ok("let in")))
    const shown: string[][] = []
    const check = (addresses: readonly string[]) => void shown.push([...addresses])
    for (const host of ["127.0.0.1", "localhost"]) {
      const response = await fetch(`http://${host}:${server.port}/`, { signal: never, check })
      assert.equal(await response.text(), "let in")
    }
    assert.deepEqual(shown[0], ["127.0.0.1"])
    assert.ok(shown[1]!.includes("127.0.0.1"), shown[1]!.join())

    const connected = server.connections.length
    const refusal = new Error("not there")
    const refuse = () => {
      throw refusal
    }
    await assert.rejects(fetch(server.url, { signal: never, check: refuse }), refusal)
    assert.equal(server.connections.length, connected)
    server.close()
  })
}
