import type { Launch } from "../acp/launch.ts"
import type { Runtime } from "../runtime.ts"
import { VERSION } from "../version.ts"
import { serveEditor } from "./acp.ts"
import { type Arguments, parseArguments, UsageError } from "./args.ts"
import { print } from "./print.ts"

/** Runs the command line to its end. What only some commands need is loaded by them. */
export async function main(runtime: Runtime): Promise<never> {
  const { stdio, system } = runtime
  let help = "koda --help"
  try {
    const args = parseArguments(system.args)
    if (args.words) help = `koda ${args.command} --help`
    return await system.exit(await run(runtime, args))
  } catch (error) {
    const isUsage = error instanceof UsageError
    stdio.log(`koda: ${error instanceof Error ? error.message : error}`)
    if (isUsage) stdio.log(`Try \`${help}\``)
    return await system.exit(isUsage ? 2 : 1)
  }
}

async function run(runtime: Runtime, args: Arguments): Promise<number> {
  const launch = launchOf(args)
  switch (args.command) {
    case "acp":
      return await serveEditor(runtime, launch, args.values)
    case "version":
      return await printed(runtime, VERSION)
    case "help": {
      const { helpAbout } = await import("./help.ts")
      return await printed(runtime, helpAbout(args.about))
    }
    case "none":
      throw new UsageError('Say what to do: `koda --acp` serves an editor, `koda -p "…"` answers one prompt')
  }
  const { runCommand } = await import("./commands.ts")
  return await runCommand(runtime, launch, { ...args, command: args.command })
}

async function printed(runtime: Runtime, text: string): Promise<number> {
  await print(runtime, text)
  return 0
}

/** The options that the agent itself needs. Their values have been checked. */
function launchOf({ values }: Arguments): Launch {
  const launch = {
    model: values["--model"],
    policy: values["--approval-mode"],
    mode: values["--mode"],
    dialect: values["--dialect"],
    scenario: values["--scenario"],
    sandbox: values["--sandbox"] === undefined ? undefined : true,
    sessionStore: values["--session-store"],
  }
  return Object.fromEntries(Object.entries(launch).filter(([, value]) => value !== undefined)) as Launch
}
