import { type Call, DEADLINES_MS, type Finding, KINDS, type Observed, thirdsOf } from './judge.ts'
import type { Planned } from './plan.ts'

/** What is said of a storm beside its findings. */
export type Figures = {
  readonly seed: number
  readonly seconds: number
  readonly plan: readonly Planned[]
  /** How often the venue answered how. */
  readonly behaved: ReadonlyMap<string, number>
  readonly malformed: number
  /** Calls that were left out because too many were under way. */
  readonly skipped: number
  readonly listened: readonly { readonly messages: number; readonly opened: number }[]
  readonly observed: Observed
}

const CASES_SHOWN = 20

/** The report's lines: requests, answers, and violations. */
export function reportOf(figures: Figures, findings: readonly Finding[]): readonly string[] {
  const { observed, behaved, listened } = figures
  const messages = listened.map(
    ({ messages: count, opened }) => `${count} on ${opened} connections`,
  )
  const busyMs = observed.controls.reduce((most, { lateMs }) => Math.max(most, lateMs), 0)
  return [
    `storm: seed ${figures.seed}, ${figures.seconds.toFixed(0)} s, ${figures.plan.length} faults`,
    '',
    ...table(['fault', 'times', 'seconds'], faultRows(figures.plan)),
    '',
    `answers of the venue: ${[...behaved].map(([name, count]) => `${name} ${count}`).join(', ')}`,
    `live messages: ${figures.malformed} malformed by the venue; received of each instance: ${messages.join('; ')}`,
    `calls left out because too many were under way: ${figures.skipped}`,
    `the machine was busy with something else for ${busyMs.toFixed(0)} ms at most`,
    `memory, second third and last: ${observed.memoryMb.map(memoryText).join('; ')}`,
    '',
    ...table(
      ['call', 'count', 'median ms', 'slowest ms', 'deadline ms', 'answers'],
      callRows(observed.calls),
    ),
    '',
    ...table(
      ['must not be', 'cases'],
      findings.map(({ name, cases }) => [name, String(cases.length)]),
    ),
    ...findings.flatMap(({ name, cases }) => casesOf(name, cases)),
  ]
}

function faultRows(plan: readonly Planned[]): readonly string[][] {
  const byName = Object.entries(Object.groupBy(plan, ({ fault }) => fault))
  return byName.map(([name, rows]) => {
    const ms = rows.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0)
    return [name, String(rows.length), (ms / 1000).toFixed(0)]
  })
}

function callRows(calls: readonly Call[]): readonly string[][] {
  return KINDS.map((kind) => {
    const ofKind = calls.filter((call) => call.kind === kind)
    const sorted = ofKind.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b)
    const [middle = 0, last = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
    const deadline = String(DEADLINES_MS[kind])
    return [
      kind,
      String(ofKind.length),
      middle.toFixed(0),
      last.toFixed(0),
      deadline,
      outcomesOf(ofKind),
    ]
  })
}

function outcomesOf(calls: readonly Call[]): string {
  const counts = new Map<string, number>()
  for (const { outcome } of calls) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one)
  return sorted.map(([outcome, count]) => `${outcome} ${count}`).join(', ')
}

function memoryText(samples: readonly number[]): string {
  const { warmMb, endMb } = thirdsOf(samples)
  return `${warmMb.toFixed(0)} MB and ${endMb.toFixed(0)} MB`
}

function casesOf(name: string, cases: readonly string[]): readonly string[] {
  if (cases.length === 0) return []
  const left = cases.length - CASES_SHOWN
  const more = left > 0 ? [`  and ${left} more`] : []
  return ['', `${name}:`, ...cases.slice(0, CASES_SHOWN).map((text) => `  ${text}`), ...more]
}

/** Rows under their heads, in columns. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)),
  )
  return [heads, ...rows].map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
