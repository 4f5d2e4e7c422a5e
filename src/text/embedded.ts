/** A text with the address it came from, fenced so that the model sees where it ends, whatever is in either. */
export function embedded(uri: string, text: string): string {
  let tag = "resource"
  while (text.includes(`</${tag}`)) tag += "_"
  const address = uri.replaceAll(/["<>\s]/g, encodeURIComponent)
  return `<${tag} uri="${address}">\n${text}${text.endsWith("\n") ? "" : "\n"}</${tag}>`
}

/** Whether a text of a prompt is no words of the user's: it is embedded, or our note on what was left out. */
export function isPutIn(text: string): boolean {
  return /^(<resource_* uri=|\[left out: )/.test(text)
}
