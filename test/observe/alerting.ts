import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promtool } from './promtool.ts'

export const RULES = new URL('../../config/alerts.rules.yml', import.meta.url).pathname

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** The alert rules of the repository. */
export async function alertRules(): Promise<Rule[]> {
  const parsed = Object(Bun.YAML.parse(await Bun.file(RULES).text()))
  return parsed.groups.flatMap((group: { rules: Rule[] }) => group.rules)
}

/** What a deployment's metrics page showed at the end of a phase, and the alerts that fire then. */
export type Phase = {
  readonly name: string
  readonly page: string
  readonly firing: readonly string[]
}

/** What happens to the series of one rule; each stands with the labels of one instance. */
export type Trouble = {
  readonly alert: string
  /** Labels of the alert beside those of the instance. */
  readonly labels?: Readonly<Record<string, string>>
  /** What gauges show while all is well, and in trouble. */
  readonly gauges?: Readonly<Record<string, readonly [well: number, trouble: number]>>
  /** By how much counters grow every 15 seconds while there is trouble. */
  readonly grows?: Readonly<Record<string, number>>
  /** Counters that grow by one when the trouble begins, and no more. */
  readonly first?: readonly string[]
}

/** Longer than any rule looks back. */
const LOOK_BACK_SECONDS = 600

/**
 * Plays a quiet service, trouble and recovery to one rule, each longer than the rule waits, and expects it to fire in the trouble alone:
 * a minute after a first event, or at its end where it lasts. `begins` leaves the series out before the trouble. `ok`, or
 * what promtool found different.
 */
export async function playTrouble(trouble: Trouble, begins = false): Promise<string> {
  const { alert, labels, gauges = {}, grows = {}, first = [] } = trouble
  const rule = (await alertRules()).find((each) => each.alert === alert)
  if (!rule) return `there is no rule ${alert}`
  const seconds = LOOK_BACK_SECONDS + secondsOf(rule.for)
  const last = seconds / STEP_SECONDS - 1
  const before = begins ? `_x${last + 1}` : `0x${last}`
  const series = [
    ...Object.entries(gauges).map(
      ([name, [well, bad]]) => [name, `${well}x${last} ${bad}x${last} ${well}x${last}`] as const,
    ),
    ...Object.entries(grows).map(
      ([name, by]) => [name, `${before} ${by}+${by}x${last} ${by * (last + 1)}x${last}`] as const,
    ),
    ...first.map((name) => [name, `${before} 1x${last} 1x${last}`] as const),
  ]
  const own = / by \(instance/.test(rule.expr) ? {} : { job: 'prepd' }
  const fired = {
    exp_labels: { instance: 'one', ...own, ...labels, ...rule.labels },
    exp_annotations: rule.annotations,
  }
  const firesAt = seconds + (first.length > 0 ? 60 : seconds - STEP_SECONDS)
  return testRules([rule], {
    interval: `${STEP_SECONDS}s`,
    input_series: series.map(([name, values]) => ({ series: labelled(name), values })),
    alert_rule_test: [
      { eval_time: `${seconds - STEP_SECONDS}s`, alertname: alert, exp_alerts: [] },
      { eval_time: `${firesAt}s`, alertname: alert, exp_alerts: [fired] },
      { eval_time: `${3 * seconds - STEP_SECONDS}s`, alertname: alert, exp_alerts: [] },
    ],
  })
}

const PHASE_SECONDS = 300
const STEP_SECONDS = 15
const STEPS = PHASE_SECONDS / STEP_SECONDS
const INSTANCE = 'instance="one",job="prepd"'

/**
 * Plays pages to Prometheus as if each phase had lasted five minutes, in which what was counted went on being counted,
 * and asks which alerts fire at its end. `ok`, or what promtool found different.
 */
export async function playAlerts(phases: readonly Phase[]): Promise<string> {
  const all = await alertRules()
  return testRules(all, {
    interval: `${STEP_SECONDS}s`,
    input_series: seriesOf(phases.map(({ page }) => samplesOf(page))),
    alert_rule_test: phases.flatMap(({ firing }, at) =>
      all.map((rule) => ({
        eval_time: `${(at + 1) * PHASE_SECONDS - STEP_SECONDS}s`,
        alertname: rule.alert,
        exp_alerts: firing.includes(rule.alert)
          ? [
              {
                exp_labels: { instance: 'one', ...rule.labels },
                exp_annotations: rule.annotations,
              },
            ]
          : [],
      })),
    ),
  })
}

/** Runs one test of some rules. `ok`, or what promtool found different. */
async function testRules(rules: readonly Rule[], test: object): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-alerts-'))
  const [rulesFile, file] = [join(folder, 'rules.yml'), join(folder, 'test.json')]
  const interval = `${STEP_SECONDS}s`
  await Bun.write(rulesFile, JSON.stringify({ groups: [{ name: 'prepd', rules }] }))
  await Bun.write(
    file,
    JSON.stringify({ rule_files: [rulesFile], evaluation_interval: interval, tests: [test] }),
  )
  const printed = await promtool(['test', 'rules', file])
  rmSync(folder, { recursive: true })
  return printed
}

/** A duration of one unit, such as `5m`; 0 where there is none. */
function secondsOf(text = '0s'): number {
  const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 }
  return Number(text.slice(0, -1)) * (units[text.slice(-1)] ?? Number.NaN)
}

/** Every sample of a page by its series; gauges of the process and the build say nothing here. */
function samplesOf(page: string): Map<string, number> {
  const lines = page.split('\n').filter((line) => /^prepd_(?:venue|engine)_/.test(line))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [labelled(line.slice(0, at)), Number(line.slice(at + 1))]
    }),
  )
}

function labelled(series: string): string {
  return series.endsWith('}') ? series.replace('}', `,${INSTANCE}}`) : `${series}{${INSTANCE}}`
}

function seriesOf(pages: readonly ReadonlyMap<string, number>[]) {
  const names = new Set(pages.flatMap((page) => [...page.keys()]))
  return [...names].map((series) => ({ series, values: valuesOf(series, pages).join(' ') }))
}

function valuesOf(series: string, pages: readonly ReadonlyMap<string, number>[]): number[] {
  const isCount = /(?:_total|_bucket|_sum|_count)\{/.test(series)
  let value = 0
  let before = 0
  return pages.flatMap((page) => {
    const now = page.get(series) ?? before
    const step = now - before
    before = now
    return Array.from({ length: STEPS }, () => {
      value = isCount ? value + step : now
      return value
    })
  })
}
