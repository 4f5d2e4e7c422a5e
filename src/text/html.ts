/** A page nested deeper, or of more parts, is one that is made to keep its readers busy. */
const DEEPEST = 400
const MOST_TAGS = 60_000

/** Elements that need not be closed, and those that never are. */
const OPEN = new Set(
  (
    "p li dt dd tr td th thead tbody tfoot option optgroup colgroup caption html head body rt rp " +
    "area base br col embed hr img input link meta source track wbr"
  ).split(" "),
)

/** Whether a parser gets through it in a time that a user would wait. Looks at each character once. */
export function isTame(html: string): boolean {
  let depth = 0
  let tags = 0
  for (const [, slash, name = ""] of html.matchAll(/<(\/?)([a-z][a-z\d-]{0,30})/gi)) {
    if (++tags > MOST_TAGS) return false
    if (OPEN.has(name.toLowerCase())) continue
    depth = slash === "/" ? Math.max(0, depth - 1) : depth + 1
    if (depth > DEEPEST) return false
  }
  return true
}

/** The text without what stands between two marks; what is not closed goes on to the end. */
export function withoutBetween(text: string, open: string, close: string): string {
  let kept = ""
  for (let at = 0; ; ) {
    const begin = text.indexOf(open, at)
    if (begin < 0) return kept + text.slice(at)
    kept += `${text.slice(at, begin)} `
    const end = text.indexOf(close, begin + open.length)
    if (end < 0) return kept
    at = end + close.length
  }
}

/** The words of a page, in the order in which they stand there. */
export function wordsOfHtml(html: string): string {
  return decodeEntities(withoutBetween(html, "<", ">"))
    .replaceAll(/\s+/g, " ")
    .trim()
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " }

export function decodeEntities(text: string): string {
  return text.replaceAll(/&(#x?[\da-f]{1,8}|\w{1,8});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name.toLowerCase()] ?? whole
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
