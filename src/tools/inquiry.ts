import type { ToolCall } from "../agent/message.ts"

/** What a user is asked beyond yes and no. */
export interface Inquiry {
  /** In whose card it is asked. */
  readonly call: ToolCall
  readonly message: string
  /** More about it, in Markdown. */
  readonly details?: string
  readonly fields: readonly Field[]
  /** A decision: put as buttons by every client. */
  readonly buttons?: true
}

/** One thing to choose or to write. */
export interface Field {
  readonly key: string
  readonly title: string
  /** Without them, a text. */
  readonly choices?: readonly string[]
  /** More than one may be chosen. */
  readonly several?: true
  /** May be left empty. */
  readonly optional?: true
}

export type Reply =
  | { type: "answered"; values: Readonly<Record<string, string>> }
  /** The user would rather not say. */
  | { type: "declined" }
  /** The user closed the question. */
  | { type: "dismissed" }

/** Asks the user. Undefined if no client can put this question. */
export type Inquire = (inquiry: Inquiry, signal: AbortSignal) => Promise<Reply | undefined>

/** Ends the turn with these words in the model's place: the user has the word. */
export type Conclude = (words: string) => void

/** What is asked, and whether the answer is one of a few. */
export interface Question {
  readonly question: string
  readonly choices?: readonly string[] | undefined
  readonly multiple?: boolean | undefined
}

/** Questions as they are written down where nobody can be asked otherwise. */
export function asText(questions: readonly Question[]): string {
  return questions
    .map(({ question, choices = [] }, at) => {
      const start = questions.length > 1 ? `${at + 1}. ${question}` : question
      const indent = questions.length > 1 ? "   " : ""
      return [start, ...choices.map((choice) => `${indent}- ${choice}`)].join("\n")
    })
    .join("\n\n")
}

/** What the model reads of a question that was not answered. */
export const UNANSWERED = {
  declined: "The user does not want to answer. Go on with what you know, and say what you assumed.",
  dismissed: "The user closed the question without an answer. Do not ask it again; go on with what you know, or stop.",
  put: "The question is put to the user as text. The answer comes with the next prompt.",
} as const
