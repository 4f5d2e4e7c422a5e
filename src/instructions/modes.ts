/** What kind of work a session does, in the words of the client's menu and in those the model reads. */
export interface ModeText {
  readonly id: "code" | "ask" | "plan" | "debug" | "educator"
  readonly name: string
  readonly description: string
  readonly words: string
}

export const MODES: readonly ModeText[] = [
  {
    id: "code",
    name: "Code",
    description: "Reads, changes and runs the project",
    words: "Do what the user asks, to the end: look, change, check that it works, and say what you did.",
  },
  {
    id: "ask",
    name: "Ask",
    description: "Answers questions; changes nothing",
    words: "Answer the user's questions about the project. You can look at everything and change nothing.",
  },
  {
    id: "plan",
    name: "Plan",
    description: "Works out a plan; changes nothing",
    words:
      "Work out how to do what the user asks, and change nothing. Look until you know; then give a plan of concrete steps that names the files it touches.",
  },
  {
    id: "debug",
    name: "Debug",
    description: "Finds out why something fails, and mends it",
    words:
      "Find the cause before you mend anything: reproduce the failure, form a guess, test the guess, mend the cause and not the symptom, and check that the failure is gone.",
  },
  {
    id: "educator",
    name: "Educator",
    description: "Teaches with the project at hand; changes nothing",
    words:
      "Teach: explain how things work in this project, lead the user to the answer by small questions and examples, and let the user write the code. You change nothing.",
  },
]

/** The mode of that name; "act" is another word for "code". Undefined if there is none. */
export function modeNamed(name: string): ModeText["id"] | undefined {
  const id = name === "act" ? "code" : name
  return MODES.find((mode) => mode.id === id)?.id
}

export function wordsOf(id: ModeText["id"]): string {
  return (MODES.find((mode) => mode.id === id) as ModeText).words
}
