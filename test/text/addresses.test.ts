import { expect, test } from "vitest"
import { addressIn, isLoopbackHost, isPrivateAddress } from "../../src/text/addresses.ts"

test.each([
  "127.0.0.1",
  "127.255.1.2",
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "192.0.0.8",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:10.0.0.1",
  "64:ff9b::a9fe:a9fe",
  "2002:7f00:1::",
  "2001::1",
  "2001:db8::1",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fe80::1%eth0",
  "ff02::1",
  "localhost",
  "",
])("%s is of no public network", (address) => {
  expect(isPrivateAddress(address)).toBe(true)
})

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "100.128.0.1",
  "172.32.0.1",
  "192.167.1.1",
  "2606:4700:4700::1111",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808",
])("%s is public", (address) => {
  expect(isPrivateAddress(address)).toBe(false)
})

test("hosts of addresses that are addresses, and those of this machine, are told by their name", () => {
  expect(["1.2.3.4", "[::1]", "example.com", "1.2.3"].map(addressIn)).toEqual(["1.2.3.4", "::1", undefined, undefined])
  expect(["localhost", "a.localhost", "127.9.9.9", "[::1]", "localhost.com"].map(isLoopbackHost)).toEqual([
    true,
    true,
    true,
    true,
    false,
  ])
})
