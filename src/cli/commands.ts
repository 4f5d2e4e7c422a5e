import type { Launch } from "../acp/launch.ts"
import type { Runtime } from "../runtime.ts"
import { agents } from "./agents.ts"
import type { Arguments } from "./args.ts"
import { doctor } from "./doctor.ts"
import { login, logout } from "./login.ts"
import { mcp } from "./mcp.ts"
import { models } from "./models.ts"
import { runPrompt } from "./prompt.ts"
import { sessions } from "./sessions.ts"
import { settings } from "./settings.ts"
import { trust } from "./trust.ts"

/** The commands that end by themselves. */
export type Command = Exclude<Arguments["command"], "acp" | "version" | "help" | "none">

/** Runs one of them, and gives back the exit code. */
export async function runCommand(
  runtime: Runtime,
  launch: Launch,
  args: Arguments & { command: Command },
): Promise<number> {
  const { command, words = [] } = args
  switch (command) {
    case "prompt":
      return await runPrompt(runtime, launch, args)
    case "login":
      return await login(runtime)
    case "logout":
      return await logout(runtime)
    case "doctor":
      return await doctor(runtime, launch, words)
    case "models":
      return await models(runtime, launch, words)
    case "trust":
      return await trust(runtime, words)
    case "settings":
      return await settings(runtime, words)
    case "agents":
      return await agents(runtime, words)
    case "sessions":
      return await sessions(runtime, launch, words)
    case "mcp":
      return await mcp(runtime, words)
  }
}
