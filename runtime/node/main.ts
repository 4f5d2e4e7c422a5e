#!/usr/bin/env node

// Nothing is imported before this is known: an older Node fails at what it finds there, and says something else.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(
    `koda needs Node 22.13 or newer, and this is Node ${process.versions.node}: please update Node.\n`,
  )
  process.exit(1)
}

const { processStdio } = await import("./stdio.ts")
const stdio = processStdio()
stdio.guard()
const [{ main }, { nodeRuntime }] = await Promise.all([import("../../src/cli/main.ts"), import("./runtime.ts")])
await main(nodeRuntime("node", stdio))

export {}
