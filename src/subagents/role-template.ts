import { renderRole } from "./roles.ts"

/** A new role's name made of what the user typed: `Code Reviewer` is `code-reviewer`. "" if nothing is left of it. */
export function kebabCase(text: string): string {
  return transliterated(text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1-$2").toLowerCase())
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/['’]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 64)
    .replace(/-+$/, "")
}

/** The file of a new role, worded in the user's language. Keys and names of tools are the same in all. */
export function roleTemplate(name: string, description: string | undefined, language: string | undefined): string {
  const words = /^ru(-|$)/i.test(language ?? "") ? RUSSIAN : ENGLISH
  return renderRole({
    name,
    description: description?.trim() || words.description,
    model: null,
    reasoningEffort: null,
    tools: ["read_file", "list_directory", "glob", "search_file_content"],
    prompt: words.prompt(name),
  })
}

const ENGLISH = {
  description: "Say here when the agent should call this role.",
  prompt: (name: string) => `You are the subagent "${name}". You look and report; you change nothing.

Describe here:
- what this role looks for, and where;
- what its report must contain;
- what it must leave alone.

Answer briefly. Name places as path:line. Say plainly what you could not find out.`,
}

const RUSSIAN = {
  description: "Опишите здесь, когда агенту стоит вызывать эту роль.",
  prompt: (name: string) => `Ты — субагент «${name}». Ты исследуешь и докладываешь, но ничего не меняешь.

Опишите здесь:
- что и где ищет эта роль;
- что должно быть в её отчёте;
- чего ей не следует касаться.

Отвечай кратко. Места называй как путь:строка. Прямо говори, чего выяснить не удалось.`,
}

const LETTERS: Readonly<Record<string, string>> = Object.fromEntries(
  "а:a б:b в:v г:g д:d е:e ё:e ж:zh з:z и:i й:y к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:kh ц:ts ч:ch ш:sh щ:shch ъ: ы:y ь: э:e ю:yu я:ya"
    .split(" ")
    .map((pair) => pair.split(":")),
)

function transliterated(text: string): string {
  return text.normalize("NFC").replace(/[а-яё]/g, (letter) => LETTERS[letter] ?? "")
}
