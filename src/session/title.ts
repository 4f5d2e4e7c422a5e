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
