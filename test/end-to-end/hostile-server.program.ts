/** An MCP server that does harm in the way that its argument names, and is a good one beside that. */

const [how = ""] = process.argv.slice(2)
const LINES = 1000

interface Said {
  id?: number
  method?: string
  // biome-ignore lint/suspicious/noExplicitAny: what a client sends
  params?: any
}

const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`
const send = (message: object) => process.stdout.write(line(message))
const text = (words: string) => ({ content: [{ type: "text", text: words }] })

/** Writes for ever, as fast as it is read. */
function flood(stream: NodeJS.WriteStream, words: string): void {
  const pour = () => {
    while (stream.write(words)) {}
    stream.once("drain", pour)
  }
  pour()
}

const FLOODS: Readonly<Record<string, () => void>> = {
  noise: () => flood(process.stdout, `${"noise ".repeat(200)}\n`.repeat(100)),
  endless: () => {
    process.stdout.write('{"jsonrpc":"2.0","id":77,"result":{"text":"')
    flood(process.stdout, "x".repeat(1_000_000))
  },
  errors: () => flood(process.stderr, `${"error ".repeat(200)}\n`.repeat(100)),
  chatter: () => flood(process.stdout, line({ method: "notifications/message", params: { data: "x" } }).repeat(LINES)),
  changes: () => flood(process.stdout, line({ method: "notifications/tools/list_changed" }).repeat(LINES)),
  pings: () => {
    process.stdin.pause() // and never reads the answers
    flood(process.stdout, line({ id: 1, method: "ping" }).repeat(LINES))
  },
  questions: () => {
    const params = { message: "Who?", requestedSchema: { type: "object", properties: { a: { type: "string" } } } }
    for (let id = 1000; id < 1000 + LINES; id++) send({ id, method: "elicitation/create", params })
  },
}

if (how === "dies") {
  console.error("no licence was found")
  process.exit(3)
}

let rest = ""
process.stdin.on("data", (bytes) => {
  const lines = (rest + bytes).split("\n")
  rest = lines.pop() as string
  for (const one of lines) hear(JSON.parse(one))
})
process.stdin.on("end", () => process.exit(0))

function hear({ id, method, params }: Said): void {
  if (id === undefined || method === undefined || how === "hangs") return
  switch (method) {
    case "initialize": {
      const { protocolVersion } = params
      const serverInfo = { name: how, version: "1" }
      send({ id, result: { protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo } })
      return
    }
    case "tools/list":
      send({ id, result: how === "pages" ? page() : { tools: how === "lies" ? LIES : [TOOL] } })
      if (how !== "pages") setTimeout(() => FLOODS[how]?.(), 50)
      return
    case "tools/call":
      answer(id)
  }
}

const TOOL = { name: "work", inputSchema: { type: "object" } }

/** Tools that are none, or say of themselves what can't be. */
const LIES = [
  5,
  null,
  { name: 5 },
  { name: "work", description: { a: 1 }, inputSchema: { type: "nothing", required: true, properties: [], anyOf: "x" } },
  { name: "__proto__", inputSchema: { $ref: "#/nowhere" } },
  { name: "ring", inputSchema: { properties: { a: { $ref: "#" } } } },
]

let pages = 0
const page = () => ({ tools: [{ ...TOOL, name: pages++ === 0 ? "work" : `work${pages}` }], nextCursor: String(pages) })

function answer(id: number): void {
  switch (how) {
    case "silent":
      return
    case "dies in a call":
      process.exit(1)
      return
    case "big":
      send({ id, result: text("x".repeat(50_000_000)) })
      return
    case "lies":
      send({ id, result: { content: [null, 5, { type: "image", data: 5 }, { type: "text" }, "x"], isError: "yes" } })
      return
    default:
      send({ id, result: text("worked") })
  }
}
