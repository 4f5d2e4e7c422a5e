import type { Inquire } from "../tools/inquiry.ts"
import { type Attached, askAnyOf, elicitAnyOf, inquireAnyOf, type SessionEvent } from "./attached.ts"

/** The clients that see a session, and the one whose prompt runs. */
export class Audience {
  readonly #clients = new Set<Attached>()
  #speaker: Attached | undefined

  readonly ask: ReturnType<typeof askAnyOf> = (question, signal) => askAnyOf(this.#clients)(question, signal)
  readonly inquire: Inquire = (inquiry, signal) => inquireAnyOf(this.#clients)(inquiry, signal)
  readonly elicit: ReturnType<typeof elicitAnyOf> = (params, signal) => elicitAnyOf(this.#clients)(params, signal)

  get isEmpty(): boolean {
    return this.#clients.size === 0
  }

  /** Whether one of them can put a question that is no yes or no. */
  get canInquire(): boolean {
    return [...this.#clients].some(({ inquire }) => inquire !== undefined)
  }

  /** Whether one of them understands turns that it did not ask for. */
  get takesDeliveries(): boolean {
    return [...this.#clients].some(({ takesDeliveries }) => takesDeliveries)
  }

  /** The client whose files and terminals count now. */
  get speaker(): Attached | undefined {
    return this.#speaker ?? this.#clients.values().next().value
  }

  add(client: Attached): void {
    this.#clients.add(client)
  }

  remove(client: Attached): void {
    this.#clients.delete(client)
    if (this.#speaker === client) this.#speaker = undefined
  }

  clear(): void {
    this.#clients.clear()
    this.#speaker = undefined
  }

  /** From now on this client's prompt runs; nobody's, if it has none. */
  hear(client: Attached | undefined): void {
    this.#speaker = client
  }

  hasOthers(client: Attached | undefined): boolean {
    return [...this.#clients].some((other) => other !== client)
  }

  /** Tells all of them, or all but one. */
  tell(event: SessionEvent, but?: Attached): void {
    for (const client of this.#clients) if (client !== but) client.tell(event)
  }
}
