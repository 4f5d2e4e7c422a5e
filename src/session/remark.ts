/** What a user should know. What may be right again by the time it is told is found out then. */
export type Remark = string | (() => string | undefined)

/** Nothing if there is nothing to tell any more. */
export function wordsOf(remark: Remark): string[] {
  const words = typeof remark === "string" ? remark : remark()
  return words === undefined ? [] : [words]
}
