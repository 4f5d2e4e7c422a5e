/** Where something stands in a text. */
export interface Span {
  start: number
  end: number
}

/** Where the elements of the array under a key of the outermost object stand. The text is known to be JSON. */
export function elementSpans(json: string, key: string): { array: Span; elements: readonly Span[] } | undefined {
  const member = membersOf(json, blank(json, 0)).find(({ name }) => name === key)
  if (!member || json[member.value.start] !== "[") return undefined
  const elements: Span[] = []
  let at = blank(json, member.value.start + 1)
  while (json[at] !== "]") {
    const end = valueEnd(json, at)
    elements.push({ start: at, end })
    at = blank(json, end)
    if (json[at] === ",") at = blank(json, at + 1)
  }
  return { array: member.value, elements }
}

function membersOf(json: string, start: number): { name: string; value: Span }[] {
  const members: { name: string; value: Span }[] = []
  if (json[start] !== "{") return members
  let at = blank(json, start + 1)
  while (json[at] !== "}") {
    const nameEnd = valueEnd(json, at)
    const value = blank(json, blank(json, nameEnd) + 1) // behind the colon
    const end = valueEnd(json, value)
    members.push({ name: JSON.parse(json.slice(at, nameEnd)) as string, value: { start: value, end } })
    at = blank(json, end)
    if (json[at] === ",") at = blank(json, at + 1)
  }
  return members
}

/** Where the value ends that begins here. */
function valueEnd(json: string, start: number): number {
  const first = json[start]
  if (first === '"') return stringEnd(json, start)
  if (first !== "{" && first !== "[") {
    let at = start
    while (at < json.length && !/[\s,\]}]/.test(json[at]!)) at++
    return at
  }
  let depth = 0
  for (let at = start; at < json.length; at++) {
    const char = json[at]
    if (char === '"') at = stringEnd(json, at) - 1
    else if (char === "{" || char === "[") depth++
    else if ((char === "}" || char === "]") && --depth === 0) return at + 1
  }
  return json.length
}

function stringEnd(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1
  return at + 1
}

function blank(json: string, start: number): number {
  let at = start
  while (at < json.length && /\s/.test(json[at]!)) at++
  return at
}
