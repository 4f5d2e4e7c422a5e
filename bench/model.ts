import { once } from "node:events"
import { Worker } from "node:worker_threads"
import type { Request } from "./model-server.ts"

/** The model server of the bench. */
export interface Model {
  /** As OPENAI_BASE_URL. */
  readonly url: string
  /** What was asked since the last call of this, in the order in which it was answered, and when paced deltas were sent. */
  seen(): Promise<{ requests: Request[]; pacedMs: number[] }>
  stop(): Promise<void>
}

/** Starts it in a thread of its own, so that neither it nor the client waits for the other. */
export async function startModel(): Promise<Model> {
  const worker = new Worker(new URL("./model-server.ts", import.meta.url))
  const [{ port }] = await once(worker, "message")
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async seen() {
      worker.postMessage("seen")
      const [seen] = await once(worker, "message")
      return seen
    },
    async stop() {
      await worker.terminate()
    },
  }
}
