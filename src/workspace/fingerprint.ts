import { toNewlines } from "../text/line-ends.ts"

/** What is not there. */
export const ABSENT = "absent"

/** Tells texts apart that differ in more than editors change by themselves. */
export async function textFingerprint(text: string | undefined): Promise<string> {
  if (text === undefined) return ABSENT
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(essence(text)))
  return Array.from(new Uint8Array(digest, 0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** Whether they differ in no more than line ends, a byte order mark and the end of the last line. */
export function sameText(a: string, b: string): boolean {
  return a === b || essence(a) === essence(b)
}

export function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (!a || !b) return a === b
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}

function essence(text: string): string {
  return toNewlines(text)
    .replace(/^\uFEFF/, "")
    .replace(/\n$/, "")
}
