import { METRICS, type Medians, type Metric } from "./metrics.ts"

/** One line for each subject of a metric, and what is promised of it. */
interface Row {
  metric: Metric
  subject: string
  medians: Medians
}

/** The medians as a table for people. */
export function table(bySubject: ReadonlyMap<string, Medians>): string {
  const lines = [["", "", "koda", "do-nothing", "×", "+", "hello", "goal"]]
  for (const metric of METRICS) {
    const rows = [...bySubject].filter(([, { ours }]) => metric.name in ours)
    for (const [index, [subject, medians]] of rows.entries()) {
      const title = metric.unit ? `${metric.title}, ${metric.unit}` : metric.title
      lines.push([index === 0 ? title : "", subject, ...figures({ metric, subject, medians })])
    }
  }
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  return lines
    .map((line) =>
      line.map((cell, i) => (i < 2 || i === 7 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join("  "),
    )
    .map((line) => line.trimEnd())
    .join("\n")
}

/** The goals that were missed, one line each. */
export function missed(bySubject: ReadonlyMap<string, Medians>): string[] {
  return [...bySubject].flatMap(([subject, medians]) =>
    METRICS.filter(({ name }) => name in medians.ours).flatMap((metric) =>
      verdicts({ metric, subject, medians })
        .filter(({ met }) => !met)
        .map(({ text }) => `${subject}: ${metric.title} ${number(medians.ours[metric.name])}, goal ${text}`),
    ),
  )
}

function figures(row: Row): string[] {
  const { metric, medians } = row
  const ours = medians.ours[metric.name]
  const floor = medians.floor[metric.name]
  const both = ours !== undefined && floor !== undefined && metric.unit !== ""
  return [
    number(ours),
    number(floor),
    both && floor > 0 ? (ours / floor).toFixed(2) : "",
    both ? number(ours - floor) : "",
    number(medians.hello[metric.name]),
    verdicts(row)
      .map(({ text, met }) => `${text} ${met ? "✓" : "✗"}`)
      .join(", "),
  ]
}

function verdicts({ metric, subject, medians }: Row): { text: string; met: boolean }[] {
  const goals = (metric.goals ?? []).filter(({ subjects }) => !subjects || subjects.includes(subject))
  return goals.map(({ text, met }) => ({ text, met: met(medians) }))
}

function number(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return ""
  if (Number.isInteger(value)) return String(value)
  return Math.abs(value) < 10 ? value.toFixed(2) : value.toFixed(Math.abs(value) < 100 ? 1 : 0)
}
