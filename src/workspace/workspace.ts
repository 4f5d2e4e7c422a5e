import type { Files } from "../runtime.ts"
import type { Documents } from "./documents.ts"

/** The project an agent works in. One for each session. */
export interface Workspace {
  /** Absolute, as the client said it. */
  readonly cwd: string
  /** `cwd` and the additional directories: what is inside. */
  readonly roots: readonly string[]
  /** The user's home folder, for `~`. */
  readonly home: string
  readonly files: Files
  readonly documents: Documents
}
