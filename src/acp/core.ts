import type { Catalog } from "../model/catalog.ts"
import type { Runtime } from "../runtime.ts"
import type { Session } from "../session/session.ts"
import type { Launch } from "./launch.ts"

/** What outlives a connection. Made at the first message that needs it. */
export interface Core {
  readonly runtime: Runtime
  readonly launch: Launch
  /** Koda home. */
  readonly home: string
  readonly catalog: Catalog
  /** The sessions that are open. */
  readonly sessions: Map<string, Session>
}
