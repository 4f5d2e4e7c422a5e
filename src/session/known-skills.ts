import { readSkills, type Skill, type SkillsFound, skillsText, wordsOfSkill } from "../instructions/skills.ts"
import type { Files } from "../runtime.ts"
import { pluginRoots } from "../subagents/find.ts"
import type { Activatable } from "../tools/activate-skill.ts"
import { joinPath } from "../workspace/paths.ts"

/** Where a session's skills are. */
export interface SkillsPlace {
  readonly files: Files
  readonly cwd: string
  /** The user's home folder. */
  readonly home: string
  readonly kodaHome: string
  /** Folders of plug-ins that the settings name. */
  plugins(): readonly string[]
  /** Those that the client lets it have; undefined: all. */
  readonly allowedSkills: readonly string[] | undefined
  isSecret(path: string): Promise<boolean>
}

/** The skills of a session, as they were when they were last read. */
export interface KnownSkills {
  readonly current: readonly Skill[]
  /** Part of the system prompt. */
  readonly text: string
  activatable(): readonly Activatable[]
  look(): Promise<SkillsFound>
}

export function knownSkills(place: SkillsPlace): KnownSkills {
  const { files, cwd, home, kodaHome, plugins, allowedSkills, isSecret } = place
  const allowed = allowedSkills && new Set(allowedSkills)
  let current: readonly Skill[] = []

  const activatable = () =>
    current.map((skill) => ({
      name: skill.name,
      folder: skill.folder,
      words: (signal: AbortSignal) => wordsOfSkill(files, skill, signal),
    }))

  return {
    get current() {
      return current
    },
    get text() {
      return skillsText(current)
    },
    activatable,

    async look() {
      if (allowed?.size === 0) return { skills: [], faults: [] }
      const roots = await pluginRoots({ files, userHome: home, workspace: cwd }, plugins())
      const found = await readSkills(
        files,
        [
          { folder: joinPath(cwd, ".koda", "skills"), within: cwd },
          { folder: joinPath(kodaHome, "skills") },
          ...roots.map((root) => ({ folder: joinPath(root, "skills"), within: root })),
        ],
        isSecret,
      )
      current = found.skills.filter(({ name }) => !allowed || allowed.has(name))
      return { ...found, skills: current }
    },
  }
}
