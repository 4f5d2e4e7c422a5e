/** What `koda --help` says; of a command, what it says of that. */
export function helpAbout(command: string | undefined): string {
  const lines = HELP.split("\n")
  const from = lines.findIndex((line) => line.startsWith(`  koda ${command} `))
  if (from < 0) return HELP
  const length = lines.slice(from + 1).findIndex((line) => line === "" || line.startsWith("  koda "))
  return [
    ...lines.slice(from, from + 1 + length),
    "",
    "`koda --help` tells of all commands, options and variables",
  ].join("\n")
}

export const HELP = `koda: a coding agent that editors talk to

  koda --acp            serve an editor: the Agent Client Protocol on standard input and output
  koda -p "PROMPT"      answer one prompt; text from a pipe is added to it, and without PROMPT is the prompt
  koda login            keep the gateway's key
  koda logout           forget it
  koda doctor           look whether all that koda needs is there, and say how to mend what is not
  koda models           list the models that a session here could use; --json for programs
  koda trust [DIR]      let the settings of a workspace hold; also
                          list, forget DIR
  koda settings         show the settings that hold here; also
                          get KEY, set KEY VALUE, unset KEY   --workspace: in this workspace's settings, not yours
                          path, schema                        where they are; JSON Schema of them, for editors
  koda sessions         list the sessions that are kept; also
                          show ID, delete ID             the beginning of an id will do
                          export ID                      the conversation in Markdown; --format json: all of it
                                                         --output FILE: into a file
                        --json prints each for programs
  koda agents           list the roles and profiles of subagents; also
                          check                          what can't be read, and why
                          create NAME, delete NAME       a role of this workspace; --global: of Koda home
                          settings [KEY=VALUE ...]       show and change the settings of subagents
                        --json prints each for programs; --description TEXT goes with create
  koda mcp              list the MCP servers of the settings; also
                          add NAME URL                   --type http|sse, --header "NAME: VALUE"
                          add NAME -- COMMAND ARGUMENTS  --env NAME=VALUE before the two dashes
                          remove NAME                    --workspace: in this workspace's settings, not yours
                          test [NAME]                    start them, and say how that went
                          login NAME [ADDRESS]           where to log in; then with the address where the browser ends
                          logout NAME                    forget the login
                        --json prints each for programs; --trust and --timeout MS go with add

Options
  --model ID                    the model to use
  --approval-mode MODE          default (ask first), auto_edit, yolo (full access), read_only
  --mode MODE                   code, ask, plan, debug, educator
  --resume ID                   of -p: go on with a session that is kept; see koda sessions
  --sandbox                     commands write only in the workspace, and reach no network
  --output-format FORMAT        of -p: text, json, stream-json
  --scenario FILE               offer the model koda-scenario, which plays this YAML file
  --dialect auto|koda|standard  how to speak to the editor; auto finds out by itself
  --session-store DIR           keep sessions in this folder, to load, list and fork them
  --traffic-log FILE            write each message to a file, secrets masked
  --log-level LEVEL             silent, error, info, debug; the log is logs/koda.log in Koda home
  --version, -v                 print the version
  --help, -h                    print this; behind a command, what there is to know of that

Environment
  KODA_CLI_HOME                 Koda home, where settings and models are kept (~/.kodacli)
  KODA_BASE_URL, KODA_API_KEY   the gateway and its key
  KODA_ACP_SESSION_STORE_DIR    the same as --session-store
  OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL
                                any server that speaks OpenAI's chat completions

Exit status of -p: 0 done, 1 error, 2 usage, 3 too many requests in the turn, 4 cut off or refused, 130 cancelled`
