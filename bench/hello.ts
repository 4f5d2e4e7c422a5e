/** Answers one line, and is nothing else: the time that a runtime takes to start. */
process.stdin.once("data", (line: Uint8Array) => {
  const { id } = JSON.parse(new TextDecoder().decode(line))
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: 1 } })}\n`)
})
