import * as v from "valibot"
import { type Tool, textOutcome } from "../agent/tool.ts"
import { similarNames } from "../text/similar.ts"
import { RESULT_BYTES } from "../text/truncate.ts"
import { pathWithin } from "../workspace/paths.ts"
import { newTally, walk } from "../workspace/walk.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { defineTool } from "./define.ts"

/** A skill as this tool needs it. */
export interface Activatable {
  readonly name: string
  readonly folder: string
  /** Its words. */
  words(signal: AbortSignal): Promise<string>
}

/** Files of a skill that are named to the model. */
const MOST_FILES = 50

/** Gives the model the words of a skill. */
export const activateSkill = ({ files }: Pick<Workspace, "files">, skills: () => readonly Activatable[]): Tool =>
  defineTool({
    name: "activate_skill",
    kind: "think",
    description: "Gives you the instructions of a skill, by its name, and says what files come with it.",
    input: v.object({ name: v.string() }),
    spellings: { skill: "name", skill_name: "name" },
    prepare({ name }) {
      const there = skills()
      const skill = there.find((one) => one.name === name.trim())
      if (!skill) {
        const names = there.map((one) => one.name)
        const near = similarNames(name, names)
        throw new Error(`There is no skill "${name}". There are ${(near.length > 0 ? near : names).join(", ")}.`)
      }
      return {
        title: `Use the skill ${skill.name}`,
        reach: { type: "nothing" },
        async run({ signal }) {
          const words = await skill.words(signal)
          const paths: string[] = []
          for await (const path of walk(
            files,
            { from: skill.folder, rules: undefined, depth: 4 },
            newTally(),
            signal,
          )) {
            const within = pathWithin(skill.folder, path)
            if (within !== "SKILL.md" && paths.push(`- ${within}`) === MOST_FILES) break
          }
          const more = paths.length > 0 ? `\n\nFiles that come with it, in ${skill.folder}:\n${paths.join("\n")}` : ""
          const cut = words.length > RESULT_BYTES ? `${words.slice(0, RESULT_BYTES)}\n[cut here]` : words
          const text = `<skill name="${skill.name}">\n${cut}\n</skill>${more}`
          return { ...textOutcome(text), display: [{ type: "text", text: `The skill ${skill.name} is in use.` }] }
        },
      }
    },
  })
