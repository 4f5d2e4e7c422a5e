/** A text in pieces of a few words, as a model would stream it. */
export function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,24}(?=\s|$)\s?|[\s\S]{1,24}/g) ?? []
}
