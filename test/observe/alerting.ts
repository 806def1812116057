import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promtool } from './promtool.ts'

export const RULES = new URL('../../config/alerts.rules.yml', import.meta.url).pathname

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** The alert rules of the repository. */
async function rules(): Promise<Rule[]> {
  const parsed = Object(Bun.YAML.parse(await Bun.file(RULES).text()))
  return parsed.groups.flatMap((group: { rules: Rule[] }) => group.rules)
}

/** What a deployment's metrics page said at the end of a phase, and the alerts that fire then. */
export type Phase = {
  readonly name: string
  readonly page: string
  readonly firing: readonly string[]
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
  const all = await rules()
  const folder = mkdtempSync(join(tmpdir(), 'prepd-alerts-'))
  const file = join(folder, 'incident.json')
  const tests = [
    {
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
    },
  ]
  const interval = `${STEP_SECONDS}s`
  await Bun.write(
    file,
    JSON.stringify({ rule_files: [RULES], evaluation_interval: interval, tests }),
  )
  const said = await promtool(['test', 'rules', file])
  rmSync(folder, { recursive: true })
  return said
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
