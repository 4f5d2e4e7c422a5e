import type { Content } from "../agent/message.ts"
import { isPutIn } from "../text/embedded.ts"

/** Characters, at most. */
const LONGEST = 60

/** A session's name: the first words of what was asked first. Undefined if there are none. */
export function titleOf(text: string): string | undefined {
  const line = text
    .split("\n")
    .map((part) =>
      part
        .replace(/^[#>*\-\s]+/, "")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .find((part) => part !== "")
  if (!line) return undefined
  if (line.length <= LONGEST) return line
  const cut = line.slice(0, LONGEST + 1).replace(/\s+\S*$/, "")
  return `${cut.length > LONGEST ? line.slice(0, LONGEST) : cut}…`
}

/** What the user wrote of a prompt: not what is embedded in it, and not our notes on what was left out. */
export function ownWords(content: readonly Content[]): string {
  const texts = content.flatMap((part) => (part.type === "text" && !part.hidden ? [part.text] : []))
  return texts.filter((text) => !isPutIn(text)).join(" ")
}
