#!/usr/bin/env bun

import { processStdio } from "../node/stdio.ts"
import { bunRuntime } from "./runtime.ts"

const stdio = processStdio()
stdio.guard() // what is loaded from here on may print as it likes
const { main } = await import("../../src/cli/main.ts")
await main(bunRuntime(stdio))
