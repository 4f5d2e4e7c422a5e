/** The deltas of a long reply are numbered, so that one that is missing or moved shows. */
export function word(i: number): string {
  return `w${i} `
}

/** A whole reply of that many deltas. */
export function words(count: number): string {
  return Array.from({ length: count }, (_, i) => word(i)).join("")
}
