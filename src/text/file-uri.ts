/** The `file:` address of an absolute path, as every runtime writes it. */
export function fileUri(path: string): string {
  const isWindows = /^[A-Za-z]:[\\/]/.test(path)
  const plain = isWindows ? `/${path.replaceAll("\\", "/")}` : path
  const url = new URL("file:///")
  url.pathname = plain.replace(/[%\\?#\n\r\t]/g, (sign) => encodeURIComponent(sign))
  return url.href
}
