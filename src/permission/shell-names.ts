/** More words than this are not looked at. */
const MOST_NAMES = 200

/**
 * The words in the text of a command as absolute paths, whichever of them is one. It finds what is written out, wherever
 * it stands, and not what is put together.
 */
export function namesIn(texts: readonly string[], folder: string, home: string): string[] {
  const found = new Set<string>()
  for (const text of texts) {
    const expanded = text.replaceAll(/\$(?:HOME\b|\{HOME\})/g, home).replaceAll(/\$(?:PWD\b|\{PWD\})/g, folder)
    for (const word of expanded.split(/[\s"'`;|&()<>=,@{}]+/)) {
      const path = pathOf(word, folder, home)
      if (path !== undefined) found.add(path)
      if (found.size >= MOST_NAMES) return [...found]
    }
  }
  return [...found]
}

function pathOf(word: string, folder: string, home: string): string | undefined {
  if (word === "" || word.length > 4096 || word.includes("://")) return undefined
  if (word === "~" || word.startsWith("~/")) return home + word.slice(1)
  // `-I/usr/include`: the value of a flag may follow it at once.
  const path = /^-\w(?=[/~.])/.test(word) ? word.slice(2) : word
  if (path.startsWith("/")) return path
  return path.startsWith("-") ? undefined : `${folder}/${path}`
}
