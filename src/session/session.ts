import { type Content, type Entry, NO_USAGE, type Usage, type UserMessage } from "../agent/message.ts"
import { runTurn, type StopReason } from "../agent/turn.ts"
import { type Attached, askAnyOf, type SessionEvent } from "./attached.ts"
import type { Dials } from "./dials.ts"
import type { Journal } from "./journal.ts"
import { type MainAgent, mainAgent, type SessionNeeds, type SessionParams } from "./main-agent.ts"
import type { Plan } from "./plan.ts"
import { ownWords, titleOf } from "./title.ts"
import { Turns } from "./turns.ts"

/** How a turn ended, and what it cost. */
export interface TurnEnd {
  stop: StopReason
  usage: Usage
  promptId: string
}

/** Reads what a prompt refers to. */
export type Resolve = (content: readonly Content[], signal: AbortSignal) => Promise<readonly Content[]>

/** One conversation. It outlives its turns, and whoever is attached to it. */
export class Session {
  readonly id: string
  readonly cwd: string
  readonly parts: MainAgent
  readonly #journal: Journal
  readonly #attached = new Set<Attached>()
  readonly #turns = new Turns()
  readonly #end = new AbortController()
  #dials: Dials
  #title: string | undefined
  #plan: Plan
  /** What the user should know, and was not told yet. */
  #remarks: string[] = []
  #spent: Usage = NO_USAGE
  /** The signal of the turn that runs. */
  #running: AbortSignal | undefined
  /** Whose prompt runs: files and terminals are this client's. */
  #speaker: Attached | undefined

  constructor(params: SessionParams, needs: SessionNeeds) {
    this.id = params.id
    this.cwd = params.cwd
    this.#journal = params.journal
    this.#dials = params.dials
    this.#title = params.title
    this.#plan = params.plan ?? { entries: [] }
    this.parts = mainAgent(params, needs, {
      dials: () => this.#dials,
      ask: (question, signal) => askAnyOf(this.#attached)(question, signal),
      canAsk: () => params.asks && this.#attached.size > 0,
      speaker: () => this.#speaker ?? this.#attached.values().next().value,
      tell: (event) => this.#tell(event),
      publish: (plan) => this.publish(plan),
      lifetime: this.#end.signal,
    })
  }

  get dials(): Dials {
    return this.#dials
  }

  get title(): string | undefined {
    return this.#title
  }

  /** Tokens that the last request and its reply took of the window, as the provider counted them. */
  get contextUsed(): number {
    const last = this.entries.findLast((entry) => entry.role === "assistant" && entry.usage.input > 0)
    return last?.role === "assistant" ? last.usage.input + last.usage.output : 0
  }

  get plan(): Plan {
    return this.#plan
  }

  get entries(): readonly Entry[] {
    return this.parts.agent.transcript.entries
  }

  /** True from the moment a prompt is received until it has been answered. */
  get isWorking(): boolean {
    return !this.#turns.isIdle
  }

  attach(client: Attached): void {
    this.#attached.add(client)
  }

  detach(client: Attached): void {
    this.#attached.delete(client)
    if (this.#speaker === client) this.#speaker = undefined
  }

  /**
   * Cancels what runs and what waits, and says this next. Resolves when the turn it starts has ended; a failure of the
   * model's rejects.
   */
  prompt(message: UserMessage, resolve: Resolve, from: Attached | undefined, signal: AbortSignal): Promise<TurnEnd> {
    this.#journal.receive(message)
    this.#turns.cancel()
    for (const client of this.#attached) if (client !== from) client.tell({ type: "said", message })
    return this.#turns.add(
      async (signal) => {
        this.#speaker = from
        this.#entitle(message)
        for (const text of this.#remarks.splice(0)) this.#tell({ type: "notice", text })
        const content = await resolve(message.content, signal).catch((error: unknown) => {
          if (!signal.aborted) throw error
          return message.content
        })
        const whole = { ...message, content: [...content] }
        if (signal.aborted)
          this.parts.agent.transcript.append(whole) // it was said, and nothing comes of it
        else this.parts.agent.inbox.post(whole)
        return await this.#run(signal)
      },
      AbortSignal.any([signal, this.#end.signal]),
    )
  }

  /** Says something to the turn that runs. False if there is none. */
  steer(message: UserMessage): boolean {
    if (!this.#running || this.#running.aborted) return false
    this.#journal.receive(message)
    this.parts.agent.inbox.post(message)
    return true
  }

  /** Stops the turn that runs and those that wait. */
  cancel(): void {
    this.#turns.cancel()
  }

  /** Turns dials. What is asked and what waits is judged by it at once; {@link announce} tells the clients. */
  change(dials: Partial<Dials>): void {
    this.#dials = { ...this.#dials, ...dials }
    const { policy: _, ...kept } = dials // the policy is the launch's: a session that is loaded begins with it
    this.#journal.change(kept)
    this.parts.gate.reconsider()
    this.parts.agent.inbox.wake()
  }

  announce(changed: keyof Dials | "models"): void {
    this.#tell({ type: "turned", changed })
  }

  /** Tells the user something, at the beginning of the next turn: outside of one, clients take it for a fault. */
  remark(text: string): void {
    this.#remarks.push(text)
  }

  publish(plan: Plan): void {
    this.#plan = plan
    this.#journal.change({ plan })
    this.#tell({ type: "planned", plan })
  }

  /** Ends what runs, with all it started. Resolves when the last turn has ended and nothing of it is at work any more. */
  async close(): Promise<void> {
    this.#end.abort(new Error("the session is closed"))
    await this.#turns.settled()
    this.#attached.clear()
    await this.parts.commands.closed()
  }

  async #run(signal: AbortSignal): Promise<TurnEnd> {
    const { agent, workspace } = this.parts
    this.#running = signal
    this.#spent = NO_USAGE
    workspace.documents.newTurn()
    try {
      let stop = await runTurn(agent, signal)
      while (stop === "end_turn" && !agent.inbox.isEmpty) stop = await runTurn(agent, signal) // steered as it ended
      return { stop, usage: this.#spent, promptId: crypto.randomUUID() }
    } finally {
      this.#running = undefined
      if (signal.aborted) for (const message of agent.inbox.forget()) this.#journal.forget(message)
      this.#journal.settle(this.entries.length)
    }
  }

  #entitle({ content }: UserMessage): void {
    if (this.#title !== undefined) return
    const title = titleOf(ownWords(content))
    if (title === undefined) return
    this.#title = title
    this.#journal.change({ title })
    this.#tell({ type: "titled", title })
  }

  #tell(event: SessionEvent): void {
    if (event.type === "used") this.#spent = sum(this.#spent, event.usage)
    for (const client of this.#attached) client.tell(event)
  }
}

function sum(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cached: a.cached + b.cached,
    thought: a.thought + b.thought,
  }
}
