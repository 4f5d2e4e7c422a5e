import type { Reach, Tool } from "../agent/tool.ts"
import type { Ground, Place, Places } from "./paths.ts"
import { inspectCommand } from "./shell.ts"
import { matchedBy, shownGlob } from "./shell-globs.ts"

/** What is known of a call once the links are followed and the command is read. Judged by nothing else. */
export type Facts =
  | { type: "nothing" }
  | { type: "files"; reads: readonly Place[]; writes: readonly Place[] }
  | { type: "command"; command: string; reading: true; reads: readonly Place[]; unresolved: readonly string[] }
  | {
      type: "command"
      command: string
      reading: false
      /** Ends a sentence that begins with "the command". */
      why: string
      /** The places it names, as far as its text tells. */
      names: readonly Place[]
      /** What must be allowed for it to run without a question; null if only an answer will do. */
      rules: readonly string[] | null
    }
  | { type: "web"; host: string }
  | { type: "server"; trusted: boolean }
  | { type: "profile"; profile: string }

/** Looks at what a call would touch, as it is now. */
export async function factsOf(
  { name, kind }: Pick<Tool, "name" | "kind">,
  reach: Reach,
  ground: Ground,
  places: Places,
): Promise<Facts> {
  switch (reach.type) {
    case "nothing":
      return reach
    case "files": {
      const searches = kind === "search" && name !== "glob" // which looks at names alone
      const reads = await places(reach.reads, searches ? reach.reads : [])
      return { type: "files", reads, writes: await places(reach.writes) }
    }
    case "command":
      return await commandFacts(reach.command, reach.folder, ground, places)
    case "web":
      return { type: "web", host: URL.canParse(reach.url) ? new URL(reach.url).host : reach.url }
    case "server":
      return { type: "server", trusted: reach.trusted }
    case "profile":
      return { type: "profile", profile: reach.profile }
  }
}

async function commandFacts(command: string, folder: string, ground: Ground, places: Places): Promise<Facts> {
  // Our reading of a command is the reading of bash, and PowerShell reads it otherwise.
  if (ground.os === "windows") {
    return {
      type: "command",
      command,
      reading: false,
      why: "is not for a shell that we can read",
      names: [],
      rules: null,
    }
  }
  const facts = await inspectCommand(command, folder, ground.home)
  if (facts.reading) {
    const { walks } = facts
    const matched = await Promise.all(facts.globs.map((glob) => matchedBy(glob, ground.files)))
    const odd = facts.globs.filter((_, index) => matched[index] === undefined).map(shownGlob)
    const links = matched.flatMap((paths) => paths ?? [])
    const reads = await places([...new Set([...facts.reads, ...walks, ...links])], walks)
    return { type: "command", command, reading: true, reads, unresolved: [...facts.unresolved, ...odd] }
  }
  const { why, rules } = facts
  return { type: "command", command, reading: false, why, rules, names: await places([folder, ...facts.names]) }
}
