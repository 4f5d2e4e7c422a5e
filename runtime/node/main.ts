#!/usr/bin/env node

// Nothing is imported before this is known: an older Node fails at what it finds there, and says something else.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(
    `koda needs Node 22.13 or newer, and this is Node ${process.versions.node}: please update Node.\n`,
  )
  process.exit(1)
}

const { nodeRuntime } = await import("./runtime.ts")
const runtime = nodeRuntime()
runtime.stdio.guard() // what is loaded from here on may print as it likes
const { main } = await import("../../src/cli/main.ts")
await main(runtime)

export {}
