/** Text as a Markdown code block, in a fence longer than any fence in it. */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`
}

/** Text as Markdown code within a line, whatever backticks are in it. */
export function inlineCode(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  const space = text.startsWith("`") || text.endsWith("`") ? " " : ""
  return `${fence}${space}${text}${space}${fence}`
}
