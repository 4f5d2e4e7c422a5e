import type { Expression } from "./expression.ts"

/** The longest text that is in everything an expression matches; "" if there is none to tell. */
export function requiredText(expression: Expression): string {
  let longest = ""
  let run = ""

  function end(): void {
    if (run.length > longest.length) longest = run
    run = ""
  }

  function read(part: Expression): void {
    switch (part.type) {
      case "edge":
        return
      case "character": {
        const character = plainCharacter(part.text)
        if (character === undefined) end()
        else run += character
        return
      }
      case "sequence":
        part.parts.forEach(read)
        return
      case "repeat":
        end()
        if (part.min > 0) read(part.of)
        end()
        return
      case "choice":
      case "special":
        end()
    }
  }

  read(expression)
  end()
  return longest
}

/** Undefined if it stands for anything else than itself. */
function plainCharacter(text: string): string | undefined {
  if (text === "." || text.startsWith("[")) return undefined
  if (!text.startsWith("\\")) return text
  return /^\\[^\w]$/u.test(text) ? text.slice(1) : undefined
}
