/** Other names for our tools, as models trained on other agents say them, and as settings and role files may. */
const ALIASES: Readonly<Record<string, string>> = {
  ls: "list_directory",
  rg: "search_file_content",
  grep: "search_file_content",
  search: "search_file_content",
  edit: "replace",
  edit_file: "replace",
  shell: "run_shell_command",
  bash: "run_shell_command",
  memory: "save_memory",
}

/** The one name we know a tool by. A name we do not know is its own. */
export function canonicalName(name: string): string {
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] as string) : name
}
