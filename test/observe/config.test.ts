import { expect } from 'bun:test'
import { METRICS } from '../../src/contract/operator/metrics.ts'
import { testsNeeding } from '../programs.ts'
import { RULES } from './alerting.ts'
import { promtool } from './promtool.ts'

const { test } = testsNeeding('rules of alerts', 'promtool')

const DASHBOARD = new URL('../../config/dashboard.json', import.meta.url).pathname

/** How a panel says that the viewer chooses where its figures come from. */
const SOURCE = ['$', '{datasource}'].join('')

/** The metrics that an expression names, without what a histogram adds to its name. */
function metricsIn(text: string): Set<string> {
  const names = [...text.matchAll(/\b(?:prepd|process)_[a-z_]+/g)].map(([name]) => name)
  return new Set(names.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))
}

/** Figures of vouchers, which are read from their store when somebody asks. */
const VOUCHER_FIGURES = await Bun.file(
  new URL('../../src/gateway/voucher/figures.ts', import.meta.url),
).text()

const isKnown = (name: string) =>
  Object.hasOwn(METRICS, name) || VOUCHER_FIGURES.includes(`'${name.replace('prepd_', '')}'`)

const unknown = (text: string) => [...metricsIn(text)].filter((name) => !isKnown(name))

test('the alert rules pass the checks of Prometheus', async () => {
  expect(await promtool(['check', 'rules', RULES])).toBe('ok')
})

test('alerts and dashboard name no metric that there is not', async () => {
  const rules = await Bun.file(RULES).text()
  const exprs = [...rules.matchAll(/^ *expr: (.+)$/gm)].map(([, expr]) => expr)
  expect(exprs.length).toBeGreaterThan(5)
  expect(unknown(exprs.join('\n'))).toEqual([])
  expect(unknown(await Bun.file(DASHBOARD).text())).toEqual([])
})

test('the dashboard shows every metric of the table', async () => {
  const shown = metricsIn(await Bun.file(DASHBOARD).text())
  expect(Object.keys(METRICS).filter((name) => !shown.has(name))).toEqual([])
})

test('the dashboard is one that Grafana takes: panels with places and sources of its own variable', async () => {
  const { panels, templating } = await Bun.file(DASHBOARD).json()
  expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' })
  const ids = panels.map(({ id }: { id: number }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const panel of panels) {
    expect(panel.gridPos.x + panel.gridPos.w).toBeLessThanOrEqual(24)
    for (const { datasource } of panel.targets ?? []) expect(datasource.uid).toBe(SOURCE)
  }
})
