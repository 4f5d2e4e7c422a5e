#!/usr/bin/env -S bun --config=/dev/null --no-env-file

import { bunRuntime } from "./runtime.ts"
import { bunStdio } from "./stdio.ts"

const stdio = bunStdio()
stdio.guard() // what is loaded from here on may print as it likes
const { main } = await import("../../src/cli/main.ts")
await main(bunRuntime(stdio))
