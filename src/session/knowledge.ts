import type { Inbox } from "../agent/inbox.ts"
import { type Entry, textOf } from "../agent/message.ts"
import type { Reach, Tool } from "../agent/tool.ts"
import { type Heard, heardIn, NESTED, Project, type ProjectPlace } from "../instructions/project.ts"
import { lookedAt } from "../workspace/looked-at.ts"
import { type KnownSkills, knownSkills, type SkillsPlace } from "./known-skills.ts"

/** What the files of a project tell its agents. */
export interface Knowledge {
  readonly project: Project
  readonly skills: KnownSkills
  /** Looks at the files anew. Answers with what the user should know. */
  refresh(): Promise<readonly string[]>
  /** The same tool; when it has touched files, who has this inbox hears of the instructions of their folders, once. */
  following(tool: Tool, inbox: Inbox): Tool
  /** The instructions of further folders that the main agent was given, for when what was said is put in few words. */
  readonly given: readonly string[]
}

export function knowledgeOf(around: ProjectPlace & SkillsPlace, entries: readonly Entry[], main: Inbox): Knowledge {
  const looked = lookedAt(around.files)
  const place = { ...around, files: looked.files }
  const project = new Project(place)
  const mains = heardIn(entries.flatMap(nestedIn), place)
  const heard = new WeakMap<Inbox, Heard>([[main, mains]])
  const skills = knownSkills(place)
  /** What is wrong with skills, and was said. */
  const told = new Set<string>()
  let count = 0
  /** The plug-ins that were looked into; undefined before the first look. */
  let plugins: string | undefined

  function heardBy(inbox: Inbox): Heard {
    const before = heard.get(inbox) ?? heardIn([], place)
    heard.set(inbox, before)
    return before
  }
  return {
    project,
    skills,
    given: mains.texts,

    async refresh() {
      const named = JSON.stringify(place.plugins())
      if (named === plugins && !(await looked.hasChanged())) return []
      plugins = named
      looked.forget()
      const [notes, { faults }] = await Promise.all([project.refresh(), skills.look()])
      const news = faults.filter((fault) => !told.has(fault))
      for (const fault of news) told.add(fault)
      return [...notes, ...news]
    },

    following(tool, inbox) {
      if (!TOUCHING.has(tool.kind)) return tool
      return {
        ...tool,
        async prepare(input, signal) {
          const action = await tool.prepare(input, signal)
          return {
            ...action,
            async run(context) {
              const outcome = await action.run(context)
              const text = await project.around(pathsIn(action.reach), heardBy(inbox)).catch(() => "") // it is gone again
              if (text !== "") inbox.remind(`instructions ${count++}`, text)
              return outcome
            },
          }
        },
      }
    },
  }
}

/** A search names many files that are not looked at. */
const TOUCHING: ReadonlySet<Tool["kind"]> = new Set<Tool["kind"]>(["read", "edit", "delete", "move"])

function pathsIn(reach: Reach): readonly string[] {
  return reach.type === "files" ? [...reach.reads, ...reach.writes] : []
}

function nestedIn(entry: Entry): string[] {
  if (entry.role !== "user" || !entry.hidden) return []
  const text = textOf(entry.content)
  return text.startsWith(NESTED) ? [text] : []
}
