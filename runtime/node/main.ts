#!/usr/bin/env node

import { nodeRuntime } from "./runtime.ts"
import { processStdio } from "./stdio.ts"

// Nothing else is loaded before this is known: an older Node fails at what it finds there, and says something else.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(
    `koda needs Node 22.13 or newer, and this is Node ${process.versions.node}: please update Node.\n`,
  )
  process.exit(1)
}

const stdio = processStdio()
stdio.guard() // what is loaded from here on may print as it likes
const { main } = await import("../../src/cli/main.ts")
await main(nodeRuntime("node", stdio))
