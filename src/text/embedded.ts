/** A text with the address it came from, fenced so that the model sees where it ends, whatever is in either. */
export function embedded(uri: string, text: string): string {
  let tag = "resource"
  while (text.includes(`</${tag}`)) tag += "_"
  const address = uri.replaceAll(/["<>\s]/g, encodeURIComponent)
  return `<${tag} uri="${address}">\n${text}${text.endsWith("\n") ? "" : "\n"}</${tag}>`
}

/** What was embedded in a text that is nothing else, and its address. */
export function embeddedIn(text: string): { uri: string; text: string } | undefined {
  const [, , uri, inner] = /^<(resource_*) uri="([^"\n]*)">\n([\s\S]*)\n<\/\1>$/.exec(text) ?? []
  return uri === undefined || inner === undefined ? undefined : { uri, text: inner }
}

/** Whether a text of a prompt is no words of the user's: it is embedded, or our note on what was left out. */
export function isPutIn(text: string): boolean {
  return /^(<resource_* uri=|\[left out: )/.test(text)
}
