import type { Entry, UserMessage } from "../agent/message.ts"
import { NO_TASK_JOURNAL, type TaskJournal } from "../subagents/task-journal.ts"
import type { Changes } from "./saved.ts"
import type { Store } from "./store.ts"

/** Where a session is kept as it goes on: what a method has written is there after a kill. */
export interface Journal {
  /** A message is received, and not read by the agent yet. */
  receive(message: UserMessage): void
  /** It will not be read. */
  forget(message: UserMessage): void
  append(seq: number, entry: Entry): void
  /** The step that ends with so many entries is whole. */
  checkpoint(entries: number): void
  /** A turn has ended with so many entries. */
  settle(entries: number): void
  change(changes: Changes): void
  /** Its subagents. */
  readonly tasks: TaskJournal
}

/** A session that ends with its process. */
export const NO_JOURNAL: Journal = {
  receive: () => {},
  forget: () => {},
  append: () => {},
  checkpoint: () => {},
  settle: () => {},
  change: () => {},
  tasks: NO_TASK_JOURNAL,
}

/** A session in a store, which has it already. */
export function journalOf(store: Store, id: string): Journal {
  return {
    receive: (message) => store.receive(id, message),
    forget: (message) => store.forget(id, message),
    append: (seq, entry) => store.append(id, seq, entry),
    checkpoint: (entries) => store.checkpoint(id, entries),
    settle: (entries) => store.settle(id, entries),
    change: (changes) => store.change(id, changes),
    tasks: taskJournalOf(store, id),
  }
}

/** A subagent's conversation is a session with a parent, of which it has all that is not its own. */
function taskJournalOf(store: Store, id: string): TaskJournal {
  return {
    keeps: true,
    atomically: (work) => store.atomically(work),
    load: () => ({ tasks: store.tasks.of(id), deliveries: store.tasks.deliveriesOf(id) }),
    save: (task) => store.tasks.save(id, task),
    saveDelivery: (delivery) => store.tasks.saveDelivery(id, delivery),
    begin(task, model) {
      const parent = store.find(id)
      if (!parent) return // it was deleted, which the next write tells
      const { cwd, folder, roots, mode, efforts, asked } = parent
      store.create({ id: task, parent: id, cwd, folder, roots, mode, efforts, asked, model })
    },
    append: (task, seq, entry) => store.append(task, seq, entry),
    entries: (task) => [...store.entries(task)],
  }
}
