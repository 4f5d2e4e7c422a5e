import { decodeEntities, isTame, withoutBetween, wordsOfHtml } from "./html.ts"

/** A page as a model can read it. */
export interface Page {
  title: string | undefined
  markdown: string
}

/** The parts of turndown that we use; it brings no types. */
interface Turndown {
  use(plugin: unknown): void
  remove(filter: readonly string[]): void
  addRule(name: string, rule: Rule): void
  turndown(html: string): string
}

interface Rule {
  filter(node: Element): boolean
  replacement(content: string, node: Element): string
}

/** What of an element is asked for; there is no DOM outside of browsers. */
interface Element {
  readonly nodeName: string
  getAttribute(name: string): string | null
}

/** No part of what a page has to say. */
const REMOVED =
  "title script style noscript template svg canvas iframe object nav footer form button select textarea dialog".split(
    " ",
  )

/** HTML as Markdown, with whole addresses; what readers do not see is left out. */
export async function pageOf(html: string, base: string): Promise<Page> {
  const title = /<title[^>]{0,200}>([^<]{0,500})/i.exec(html.slice(0, 100_000))?.[1]
  const named = title === undefined ? undefined : decodeEntities(title).replaceAll(/\s+/g, " ").trim() || undefined
  return { title: named, markdown: await markdownOf(mainPart(html), base) }
}

async function markdownOf(html: string, base: string): Promise<string> {
  if (!isTame(html)) return wordsOfHtml(html)
  const service = await serviceFor(base)
  return service
    .turndown(html)
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()
}

async function serviceFor(base: string): Promise<Turndown> {
  const [{ default: Service }, { gfm }] = await Promise.all([
    // biome-ignore lint/suspicious/noTsIgnore: it has no types, and where types are not looked for that is no error
    // @ts-ignore
    import("turndown") as Promise<{ default: new (options: object) => Turndown }>,
    // biome-ignore lint/suspicious/noTsIgnore: the same
    // @ts-ignore
    import("@joplin/turndown-plugin-gfm") as Promise<{ gfm: unknown }>,
  ])
  const service = new Service({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---" })
  service.use(gfm)
  service.remove(REMOVED)
  service.addRule("unseen", { filter: isUnseen, replacement: () => "" })
  service.addRule("link", {
    filter: ({ nodeName }) => nodeName === "A",
    replacement(content, node) {
      const words = content.replaceAll(/\s+/g, " ").trim()
      const to = absolute(node.getAttribute("href"), base)
      return words === "" || to === undefined ? words : `[${words}](${to})`
    },
  })
  service.addRule("image", {
    filter: ({ nodeName }) => nodeName === "IMG",
    replacement(_, node) {
      const alt = (node.getAttribute("alt") ?? "").replaceAll(/[[\]\s]+/g, " ").trim()
      const from = absolute(node.getAttribute("src"), base)
      return alt === "" || from === undefined ? alt : `![${alt}](${from})`
    },
  })
  return service
}

/** Words that only a machine would read are none of the page's. */
function isUnseen(node: Element): boolean {
  const style = node.getAttribute?.("style") ?? ""
  return (
    node.getAttribute?.("hidden") != null ||
    node.getAttribute?.("aria-hidden") === "true" ||
    /(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d]))/i.test(style)
  )
}

function absolute(address: string | null, base: string): string | undefined {
  const url = address === null ? null : URL.parse(address, base)
  return url && /^(https?|mailto):$/.test(url.protocol)
    ? url.href.replaceAll("(", "%28").replaceAll(")", "%29")
    : undefined
}

/** What lies around the text of most pages is the same on each. */
function mainPart(html: string): string {
  const plain = withoutBetween(html, "<!--", "-->")
  for (const tag of ["main", "article"]) {
    const begin = plain.search(new RegExp(`<${tag}[\\s>]`, "i"))
    const end = plain.toLowerCase().lastIndexOf(`</${tag}>`)
    if (begin >= 0 && end - begin > 500) return plain.slice(begin, end)
  }
  return plain
}
