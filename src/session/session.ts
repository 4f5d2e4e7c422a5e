import { abortable } from "../agent/abortable.ts"
import { type Compacted, compact } from "../agent/compaction.ts"
import type { Entry, UserMessage } from "../agent/message.ts"
import { contextUsed } from "../agent/room.ts"
import { runTurn, type StopReason } from "../agent/turn.ts"
import type { CommandText } from "../instructions/commands.ts"
import type { Attached, Changed, SessionEvent } from "./attached.ts"
import { Audience } from "./audience.ts"
import { Beside } from "./beside.ts"
import { CurrentTurn } from "./current-turn.ts"
import { type Decision, decide, PLAN_DECISION } from "./decision.ts"
import type { Dials } from "./dials.ts"
import { goesOn } from "./going-on.ts"
import type { Journal } from "./journal.ts"
import { type MainAgent, mainAgent } from "./main-agent.ts"
import type { SessionNeeds, SessionParams } from "./needs.ts"
import { type Plan, wordsOfPlan } from "./plan.ts"
import { put, type Resolve, type Resolved, type TurnEnd } from "./prompted.ts"
import { type Remark, wordsOf } from "./remark.ts"
import { ownWords, titleOf } from "./title.ts"
import { Turns } from "./turns.ts"

/** One conversation. It outlives its turns, and whoever is attached to it. */
export class Session {
  readonly id: string
  readonly cwd: string
  readonly parts: MainAgent
  readonly #journal: Journal
  readonly #audience = new Audience()
  readonly #turns = new Turns()
  readonly #turn = new CurrentTurn()
  readonly #end = new AbortController()
  readonly #beside: Beside
  #dials: Dials
  #title: string | undefined
  #plan: Plan
  #commands: readonly CommandText[] = []
  /** The model has proposed a plan, and the user has not decided. */
  #hasProposed = false
  #remarks: Remark[] = []

  constructor(params: SessionParams, needs: SessionNeeds) {
    this.id = params.id
    this.cwd = params.cwd
    this.#journal = params.journal
    this.#dials = params.dials
    this.#title = params.title
    this.#plan = params.plan ?? { entries: [] }
    this.parts = mainAgent(params, needs, {
      dials: () => this.#dials,
      ask: this.#audience.ask,
      canAsk: () => params.asks && !this.#audience.isEmpty,
      speaker: () => this.#audience.speaker,
      tell: (event) => this.#tell(event),
      reported: () => this.#beside.deliverSoon(),
      spent: (usage) => this.#turn.spend(usage),
      turn: () => this.#turn.id,
      waits: () => this.#turn.waits,
      plan: () => this.#plan,
      publish: (plan) => this.publish(plan),
      inquire: this.#audience.inquire,
      elicit: this.#audience.elicit,
      announce: (changed) => this.announce(changed),
      remark: (text) => this.remark(text),
      propose: (plan) => {
        this.publish(plan)
        this.#hasProposed = true
      },
      lifetime: this.#end.signal,
    })
    this.#beside = new Beside({
      turns: this.#turns,
      turn: this.#turn,
      subagents: () => this.parts.subagents,
      isTaken: () => this.#audience.takesDeliveries,
      run: (signal) => this.#run(signal),
      tell: (event) => this.#tell(event),
      lifetime: this.#end.signal,
    })
    if (this.parts.subagents.deliveries.unanswered().length > 0) this.#settle()
  }

  get dials(): Dials {
    return this.#dials
  }

  get title(): string | undefined {
    return this.#title
  }

  /** Tokens that the conversation takes of the window, as the provider counted them, or about so many. */
  get contextUsed(): number {
    return contextUsed(this.parts.agent)
  }

  get plan(): Plan {
    return this.#plan
  }

  /** Commands that the workspace describes. */
  get commands(): readonly CommandText[] {
    return this.#commands
  }

  get entries(): readonly Entry[] {
    return this.parts.agent.transcript.entries
  }

  /** True from the moment a prompt is received until it has been answered. */
  get isWorking(): boolean {
    return !this.#turns.isIdle
  }

  attach(client: Attached): void {
    this.#audience.add(client)
  }

  detach(client: Attached): void {
    this.#audience.remove(client)
  }

  /** Whether anything would be lost if it were closed for this client: other clients, or what is at work. */
  isInUse(client: Attached | undefined): boolean {
    const { subagents, commands } = this.parts
    const runs = subagents.tasks.alive.length > 0 || commands.list().some(({ ending }) => ending === undefined)
    return this.isWorking || runs || this.#audience.hasOthers(client)
  }

  /**
   * Cancels what runs and what waits, and says this next. Resolves when the turn it starts has ended; a failure of the
   * model's rejects.
   */
  prompt(message: UserMessage, resolve: Resolve, from: Attached | undefined, signal: AbortSignal): Promise<TurnEnd> {
    this.#journal.receive(message)
    this.#turns.cancel()
    this.#audience.tell({ type: "said", message }, from)
    return this.#turns.add(
      async (signal) => {
        this.#audience.hear(from)
        this.#sayRemarks()
        const resolved: Resolved = await resolve(message.content, signal).catch((error: unknown) => {
          if (!signal.aborted) throw error
          return { content: message.content }
        })
        if (resolved.reply === undefined) {
          await abortable(this.parts.servers.ready(), signal).catch(() => {}) // they come later, then
          this.#sayRemarks()
          this.#entitle(resolved.title ?? ownWords(message.content))
        }
        put(this.parts.agent, message, resolved, signal)
        const promptId = this.#turn.begin(signal)
        const stop = await this.#run(signal)
        return { stop, usage: this.#turn.takeSpent(), promptId }
      },
      [signal, this.#end.signal],
    )
  }

  /** Says something to the turn that runs. False if there is none. */
  steer(message: UserMessage): boolean {
    if (!this.#turn.isOpen) return false
    this.#journal.receive(message)
    this.parts.agent.inbox.post(message)
    return true
  }

  /** Makes room in the window between turns; a prompt waits for it. In a turn, it is done with the agent itself. */
  async compact(signal: AbortSignal): Promise<Compacted> {
    const { agent } = this.parts
    const work = (signal: AbortSignal) =>
      compact(agent, signal).finally(() => {
        agent.checkpoint()
        this.#journal.settle(this.entries.length)
      })
    return await this.#turns.between(work, [signal, this.#end.signal])
  }

  /** Lets the turn go on without its subagents, to its end. False if nothing was waiting for them. */
  releaseWait(): boolean {
    const isReleased = this.#turn.release()
    if (isReleased) this.parts.agent.inbox.wake()
    return isReleased
  }

  /** Stops the turn that runs and those that wait, and a compaction. */
  cancel(): void {
    this.#turns.cancelAll()
  }

  /** Turns dials. What is asked and what waits is judged by it at once; {@link announce} tells the clients. */
  change(dials: Partial<Dials>): void {
    this.#dials = { ...this.#dials, ...dials }
    const { policy: _, ...kept } = dials // the policy is the launch's: a session that is loaded begins with it
    this.#journal.change(kept)
    this.parts.gate.reconsider()
    this.parts.agent.inbox.wake()
  }

  announce(changed: Changed): void {
    this.#tell({ type: "turned", changed })
  }

  /** Tells the user something, at the beginning of the next turn: outside of one, clients take it for a fault. */
  remark(remark: Remark): void {
    this.#remarks.push(remark)
    if (this.#turn.id !== undefined) this.#sayRemarks()
  }

  publish(plan: Plan): void {
    this.#plan = plan
    this.#journal.change({ plan })
    this.#tell({ type: "planned", plan })
  }

  /** The user's own plan in place of the one before. The model hears of it when it next reads. */
  revise(plan: Plan): void {
    this.publish(plan)
    this.parts.agent.inbox.remind("plan", wordsOfPlan(plan))
  }

  /** Commands that the workspace describes, as they are now. */
  offer(commands: readonly CommandText[]): void {
    this.#commands = commands
    this.#tell({ type: "turned", changed: "commands" })
  }

  /** Asks the user to decide. Undefined if nobody can be asked, or the question was closed. */
  async decide(decision: Decision, signal: AbortSignal): Promise<boolean | undefined> {
    if (!this.#audience.canInquire) return undefined
    return await decide(decision, { inquire: this.#audience.inquire, tell: (event) => this.#tell(event) }, signal)
  }

  /** Ends what runs, with all it started. Resolves when the last turn has ended and nothing of it is at work any more. */
  async close(): Promise<void> {
    this.#end.abort(new Error("the session is closed"))
    const closing = this.parts.servers.close()
    await this.#turns.settled()
    await this.parts.subagents.tasks.settled()
    this.#audience.clear()
    await Promise.all([this.parts.commands.closed(), closing])
  }

  async #run(signal: AbortSignal): Promise<StopReason> {
    const { agent, workspace, subagents, knowledge, hooks } = this.parts
    workspace.documents.newTurn()
    try {
      const [notes] = await Promise.all([knowledge.refresh(), subagents.refresh()])
      for (const text of notes) this.#tell({ type: "notice", text })
      agent.inbox.post(...(await hooks.begin(signal).catch(() => [])))
      let stop = await runTurn(agent, signal)
      while (stop === "end_turn" && (await this.#goesOn(signal))) stop = await runTurn(agent, signal)
      return stop
    } finally {
      this.#turn.end()
      this.#hasProposed = false
      if (signal.aborted) for (const message of agent.inbox.forget()) this.#journal.forget(message)
      this.#settle()
      this.#beside.show()
      this.#beside.deliverSoon()
    }
  }

  /** Takes back the reports that no reply has answered, so that they are due again. */
  #settle(): void {
    const { agent, subagents } = this.parts
    for (const entry of subagents.deliveries.unanswered()) agent.transcript.append(entry)
    this.#journal.settle(this.entries.length)
  }

  async #goesOn(signal: AbortSignal): Promise<boolean> {
    const { agent, hooks } = this.parts
    const decide = this.#hasProposed ? (signal: AbortSignal) => this.decide(PLAN_DECISION, signal) : undefined
    this.#hasProposed = false
    const accepted = () => {
      if (this.#dials.mode !== "plan") return
      this.change({ mode: "code" })
      this.announce("mode")
    }
    return await goesOn({ inbox: agent.inbox, hooks, decide, accepted }, signal)
  }

  #sayRemarks(): void {
    for (const text of this.#remarks.splice(0).flatMap(wordsOf)) this.#tell({ type: "notice", text })
  }

  #entitle(words: string): void {
    if (this.#title !== undefined) return
    const title = titleOf(words)
    if (title === undefined) return
    this.#title = title
    this.#journal.change({ title })
    this.#tell({ type: "titled", title })
  }

  #tell(event: SessionEvent): void {
    if ("usage" in event && event.usage) this.#turn.spend(event.usage)
    this.#audience.tell(this.#turn.named(event))
    if (event.type === "task") this.#beside.show()
  }
}
