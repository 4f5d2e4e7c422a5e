/** Bytes as Base64. */
export function base64(bytes: Uint8Array): string {
  let binary = ""
  for (let at = 0; at < bytes.length; at += SLICE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + SLICE))
  }
  return btoa(binary)
}

/** As many arguments as one call may have everywhere. */
const SLICE = 8_192
