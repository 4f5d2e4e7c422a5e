import type { ToolCall } from "../agent/message.ts"

interface Slot {
  id: string | undefined
  name: string
  args: string
}

/** A piece of a call, as a provider sends it. */
interface Piece {
  index?: unknown
  id?: unknown
  name?: unknown
  args?: unknown
}

/** Puts together calls that come in pieces, whose index, id or name may be missing, repeated or late. */
export class CallSlots {
  readonly #slots: Slot[] = []
  readonly #byIndex = new Map<number, Slot>()
  readonly #tools: ReadonlySet<string>

  constructor(tools: ReadonlySet<string>) {
    this.#tools = tools
  }

  get isEmpty(): boolean {
    return this.#slots.length === 0
  }

  add(piece: Piece): void {
    const id = typeof piece.id === "string" && piece.id ? piece.id : undefined
    const name = typeof piece.name === "string" && piece.name.trim() ? piece.name.trim() : undefined
    const args = typeof piece.args === "string" ? piece.args : piece.args ? JSON.stringify(piece.args) : ""
    if (id === undefined && name === undefined && args === "") return
    const slot = this.#slotFor(piece.index, id, name)
    slot.id ??= id
    if (name !== undefined) slot.name = this.#named(slot.name, name)
    slot.args += args
  }

  /** Whole calls, and those whose arguments are not JSON; `taken`: ids that may not be used again. */
  calls(taken: ReadonlySet<string>): ToolCall[] {
    const used = new Set(taken)
    return this.#slots.map(({ id, name, args }) => {
      const own = id !== undefined && !used.has(id) ? id : newCallId()
      used.add(own)
      return { id: own, name: knownName(name, this.#tools), ...inputOf(args) }
    })
  }

  #slotFor(index: unknown, id: string | undefined, name: string | undefined): Slot {
    const at = typeof index === "number" ? index : undefined
    const known =
      at === undefined
        ? (this.#withId(id) ?? (id === undefined ? this.#slots.at(-1) : undefined))
        : this.#byIndex.get(at)
    if (known && !this.#begins(known, id, name)) return known
    const slot: Slot = { id: undefined, name: "", args: "" }
    this.#slots.push(slot)
    if (at !== undefined) this.#byIndex.set(at, slot)
    return slot
  }

  #withId(id: string | undefined): Slot | undefined {
    return id === undefined ? undefined : this.#slots.findLast((slot) => slot.id === id)
  }

  /** Whether a piece that points to a slot is the begin of another call all the same. */
  #begins(slot: Slot, id: string | undefined, name: string | undefined): boolean {
    const otherId = id !== undefined && slot.id !== undefined && id !== slot.id
    if (name === undefined) return otherId && isWhole(slot.args)
    if (!slot.name) return false
    if (otherId) return true
    if (isWhole(slot.args)) return true
    return slot.args === "" && name !== slot.name && this.#tools.has(slot.name) && !this.#tools.has(slot.name + name)
  }

  /** Names come whole, again with each piece, or in pieces. */
  #named(before: string, name: string): string {
    if (!before || before === name || name.startsWith(before)) return name
    return before + name
  }
}

/** Nine letters and digits: what the strictest server takes. */
export function newCallId(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 9)
}

/** The input that arguments spell, or the arguments themselves if they are not JSON. */
export function inputOf(args: string): { input: unknown; broken?: string } {
  if (args.trim() === "" || args.trim() === "null") return { input: {} }
  try {
    const input: unknown = JSON.parse(args)
    return { input: typeof input === "string" ? JSON.parse(input) : input } // encoded twice
  } catch {
    return { input: undefined, broken: args }
  }
}

/** Some models write "functions.read_file:0" for "read_file". */
export function knownName(name: string, tools: ReadonlySet<string>): string {
  if (tools.has(name)) return name
  const bare = name
    .replace(/^(functions?|tools?)[.:]/, "")
    .replace(/:\d+$|<\|.*$/, "")
    .trim()
  return tools.has(bare) ? bare : name || "unknown_tool"
}

function isWhole(args: string): boolean {
  return args.trimEnd().endsWith("}") && inputOf(args).broken === undefined
}
