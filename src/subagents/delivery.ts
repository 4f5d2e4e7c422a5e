import type { Entry, Report, Returned } from "../agent/message.ts"

/**
 * A report on its way to the model. It waits; it is handed over when it becomes an entry; it is confirmed by the reply
 * that follows. A turn that ends without that reply returns it, and it goes again with the next prompt or report.
 */
export interface Delivery {
  readonly id: string
  readonly task: string
  readonly text: string
  readonly state: "waiting" | "handed" | "confirmed" | "returned"
}

/** The reports of one session that are not confirmed. They follow its transcript, and are written with it. */
export class Deliveries {
  readonly #open = new Map<string, Delivery>()
  readonly #save: (delivery: Delivery) => void
  readonly #handed: (delivery: Delivery) => void
  /** Those that came while we watched, and were not handed over yet. */
  readonly #fresh = new Set<string>()
  /** Reports that the result of a call brings, by the call's id. */
  readonly #taken = new Map<string, string>()
  /** Those that were read as results: they stay where they are. */
  readonly #kept = new Set<string>()

  /** `handed` is told once for each report, when it is handed over for the first time. */
  constructor(
    open: readonly Delivery[],
    entries: readonly Entry[],
    { save, handed }: { save(delivery: Delivery): void; handed(delivery: Delivery): void },
  ) {
    this.#save = save
    this.#handed = handed
    for (const delivery of open) {
      this.#open.set(delivery.id, delivery)
      if (delivery.state === "handed" && !isReported(entries, delivery.id)) this.#kept.add(delivery.id)
    }
  }

  add(task: string, text: string): void {
    const id = crypto.randomUUID()
    this.#fresh.add(id)
    this.#set({ id, task, text, state: "waiting" })
  }

  /** A report that goes with whatever goes next, and is not worth a turn of its own. */
  addQuietly(task: string, text: string): void {
    this.#set({ id: crypto.randomUUID(), task, text, state: "waiting" })
  }

  /** The tasks whose reports are worth a turn of their own. One that has just come back is not. */
  get waiting(): string[] {
    return this.#in("waiting").flatMap(({ id, task }) => (this.#fresh.has(id) ? [task] : []))
  }

  /** What the next boundary hands over. */
  due(): Report[] {
    return this.#in("waiting", "returned").map(({ id, task, text }) => ({ role: "report", delivery: id, task, text }))
  }

  /** What takes back the reports that no reply has answered. */
  unanswered(): Returned[] {
    const handed = this.#in("handed").filter(({ id }) => !this.#kept.has(id))
    return handed.map(({ id }) => ({ role: "returned", delivery: id }))
  }

  /** The report of a task for the result of this call: it is handed over with it. Undefined if there is none to hand. */
  take(task: string, call: string): string | undefined {
    const taken = new Set(this.#taken.values())
    const delivery = this.#in("waiting", "returned").find((one) => one.task === task && !taken.has(one.id))
    if (!delivery) return undefined
    this.#taken.set(call, delivery.id)
    return delivery.text
  }

  /** A report that nobody need read any more: its task has begun anew. */
  drop(task: string): void {
    for (const delivery of this.#in("waiting", "returned")) {
      if (delivery.task === task) this.#set({ ...delivery, state: "confirmed" })
    }
  }

  /** Moves on with an entry, in the transaction that writes it: neither is there without the other. */
  follow(entry: Entry): void {
    switch (entry.role) {
      case "report":
        this.#hand(entry.delivery)
        break
      case "returned":
        this.#move(entry.delivery, "returned")
        break
      case "result":
        this.#takeWith(entry.id, entry.status === "ok")
        break
      case "assistant":
        if (entry.scripted || entry.stop === "cancelled") break
        for (const { id } of this.#in("handed")) this.#move(id, "confirmed")
        break
      case "user":
      case "summary":
    }
  }

  #takeWith(call: string, isRead: boolean): void {
    const id = this.#taken.get(call)
    if (id === undefined) return
    this.#taken.delete(call)
    if (!isRead) return
    this.#kept.add(id)
    this.#hand(id)
  }

  #hand(id: string): void {
    const delivery = this.#open.get(id)
    this.#fresh.delete(id)
    this.#move(id, "handed")
    if (delivery?.state === "waiting") this.#handed(delivery)
  }

  #in(...states: Delivery["state"][]): Delivery[] {
    return [...this.#open.values()].filter(({ state }) => states.includes(state))
  }

  #move(id: string, state: Delivery["state"]): void {
    const delivery = this.#open.get(id)
    if (delivery) this.#set({ ...delivery, state })
  }

  #set(delivery: Delivery): void {
    this.#save(delivery)
    if (delivery.state !== "confirmed") {
      this.#open.set(delivery.id, delivery)
      return
    }
    this.#open.delete(delivery.id)
    this.#kept.delete(delivery.id)
    this.#fresh.delete(delivery.id)
  }
}

/** Whether the report stands in the transcript, and was not taken back. */
function isReported(entries: readonly Entry[], id: string): boolean {
  const last = entries.findLast((entry) => "delivery" in entry && entry.delivery === id)
  return last?.role === "report"
}
