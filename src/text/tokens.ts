/** Characters per token, by script: English and code, other alphabets, and those whose signs are words. */
const ASCII = 3.5
const LETTERS = 2.2
const SIGNS = 0.9

/** About how many tokens a model makes of a text. Rather too many than too few, and cheap. */
export function estimateTokens(text: string): number {
  let ascii = 0
  let signs = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 128) ascii++
    else if (code >= 0x2e80 && code < 0xfb00) signs++
  }
  const letters = text.length - ascii - signs
  return Math.ceil(ascii / ASCII + letters / LETTERS + signs / SIGNS)
}
