#!/usr/bin/env -S deno run -A --no-config

import { denoRuntime } from "./runtime.ts"
import { denoStdio } from "./stdio.ts"

const stdio = denoStdio()
stdio.guard() // what is loaded from here on may print as it likes
const { main } = await import("../../src/cli/main.ts")
await main(denoRuntime(stdio))
