/** Whether an IP address is one of this machine or of a network of its own, or none that pages are served from. */
export function isPrivateAddress(address: string): boolean {
  const v4 = v4Of(address)
  if (v4) return isPrivateV4(v4)
  const v6 = v6Of(address)
  if (!v6) return true // what can't be told is not let through
  const inner = innerV4(v6)
  return inner ? isPrivateV4(inner) : !isPublicV6(v6)
}

/** Whether a host is an address, as URLs write it, or undefined if it is a name. */
export function addressIn(host: string): string | undefined {
  const bare = host.replace(/^\[|\]$/g, "")
  return v4Of(bare) || (host.startsWith("[") && v6Of(bare)) ? bare : undefined
}

/** Whether a host is this machine by its very name. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase()
  return bare === "localhost" || bare.endsWith(".localhost") || bare === "::1" || v4Of(bare)?.[0] === 127
}

type Bytes = readonly number[]

function v4Of(text: string): Bytes | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number)
  return parts?.every((part) => part < 256) ? parts : undefined
}

/** Its eight words. */
function v6Of(text: string): readonly number[] | undefined {
  const url = URL.parse(`http://[${text.replace(/%.*$/, "")}]/`) // which writes each in one way only
  if (!url) return undefined
  const [before = "", after] = url.hostname.slice(1, -1).split("::")
  const words = (part: string) => part.split(":").flatMap((word) => (word === "" ? [] : [Number.parseInt(word, 16)]))
  const [head, tail] = [words(before), words(after ?? "")]
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

/** The IPv4 address that an IPv6 one stands for: mapped, compatible, translated (NAT64) or 6to4. */
function innerV4(words: readonly number[]): Bytes | undefined {
  const [a = 0, b = 0, c = 0] = words
  const last = bytesOf(words[6] ?? 0, words[7] ?? 0)
  const begins = (...head: number[]) => head.every((word, at) => words[at] === word)
  if (begins(0, 0, 0, 0, 0, 0xffff) || begins(0x64, 0xff9b, 0, 0, 0, 0)) return last
  if (begins(0, 0, 0, 0, 0, 0)) return last // `::` and `::1` as well, which are 0.0.0.0 and 0.0.0.1
  return a === 0x2002 ? bytesOf(b, c) : undefined
}

function bytesOf(high: number, low: number): Bytes {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff]
}

function isPrivateV4([a = 0, b = 0, c = 0]: Bytes): boolean {
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    a >= 224 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168) ||
    (a === 192 && b === 0 && (c === 0 || c === 2)) ||
    (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) ||
    (a === 203 && b === 0 && c === 113)
  )
}

/** Only 2000::/3 is given out, and of that not all: Teredo, documentation and the like are not. */
function isPublicV6([a = 0, b = 0]: readonly number[]): boolean {
  if (a < 0x2000 || a > 0x3fff) return false
  if (a === 0x2001 && (b === 0xdb8 || b < 0x200)) return false
  return !(a === 0x3fff && b < 0x1000)
}
