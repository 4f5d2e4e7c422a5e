const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  Array: "a list",
  Object: "an object",
}

/** What a schema wanted, in words for people: `("a" | "b")` is "one of a, b". */
export function expectedInWords(expected: string): string {
  const parts = expected.replace(/^\((.*)\)$/s, "$1").split(" | ")
  const names = parts.map((part) => /^"(.*)"$/s.exec(part)?.[1])
  if (names.length > 1 && names.every((name) => name !== undefined)) return `one of ${names.join(", ")}`
  return parts.map((part) => KINDS[part] ?? part).join(" or ")
}
