/** Names that are protected wherever they lie in the workspace: what is in them runs, or changes how things run. */
const PROTECTED: ReadonlySet<string> = new Set([
  ".git",
  ".hg",
  ".jj",
  ".svn",
  ".koda",
  ".kodik",
  ".vscode",
  ".idea",
  ".zed",
  ".cursor",
  ".windsurf",
  ".fleet",
  ".vs",
  ".devcontainer",
  ".claude",
  ".codex",
  ".gemini",
  ".husky",
  ".githooks",
  ".lefthook",
  ".envrc",
  ".gitconfig",
  ".gitmodules",
  ".mcp.json",
  ".pre-commit-config.yaml",
  "lefthook.yml",
  ".lefthook.yml",
  ".exrc",
  ".nvimrc",
  ".nvim.lua",
  ".vimrc",
  ".dir-locals.el",
])

/** Files and folders of the user's home that shells and programs start from. */
const START_UP: ReadonlySet<string> = new Set(
  (
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout " +
    ".inputrc .kshrc .cshrc .tcshrc .login .xprofile .xinitrc .config/fish .config/git .config/autostart " +
    ".config/systemd .config/nvim library/launchagents .local/bin bin .kodacli"
  ).split(" "),
)

/** Where keys lie, from the user's home. */
export const KEYS: readonly string[] = (
  ".ssh .gnupg .aws .azure .kube .netrc _netrc .npmrc .pypirc .git-credentials .config/git/credentials " +
  ".config/gcloud .config/gh .config/hub .config/glab-cli .config/github-copilot .config/op .config/rclone " +
  ".docker/config.json .config/containers/auth.json .cargo/credentials .cargo/credentials.toml .gem/credentials " +
  ".terraform.d/credentials.tfrc.json .vault-token .pgpass .my.cnf .password-store .local/share/keyrings " +
  ".local/share/kwalletd Library/Keychains .m2/settings.xml .gradle/gradle.properties .oci .config/doctl " +
  ".config/heroku .config/sops .age .config/age .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json"
).split(" ")

/** Those of our own, from our home. */
export const OUR_KEYS: readonly string[] = ["credentials.json", "custom_models.json", "mcp_logins.json"]

/** A name as a file system that folds case, or leaves characters out, may understand it. */
export function folded(name: string): string {
  const plain = name
    .normalize("NFC")
    .replaceAll(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, "")
    .toUpperCase() // `ſ` is an `s` to a file system that folds case
    .toLowerCase()
  // Windows knows `.git` by these names as well.
  return plain.replace(/:.*$/, "").replace(/[. ]+$/, "") || plain
}

/** Whether a name on the way from the root of a workspace is a protected one. */
export function isProtectedName(name: string): boolean {
  const plain = folded(name)
  return (
    PROTECTED.has(plain) || plain === "git~1" || plain.endsWith(".code-workspace") || plain.endsWith(".sublime-project")
  )
}

export function isGitName(name: string): boolean {
  const plain = folded(name)
  return plain === ".git" || plain === "git~1"
}

/** Whether a way from the user's home leads to what shells and programs start from. */
export function isStartUp(names: readonly string[]): boolean {
  const plain = names.map(folded)
  return START_UP.has(plain[0] ?? "") || START_UP.has(plain.slice(0, 2).join("/"))
}
