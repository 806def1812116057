import { afterAll, beforeAll, expect, test } from 'bun:test'
import { until } from '../cluster/processes.ts'
import { type AnswerSpec, startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, type Target } from '../target.ts'

const CHANGED = { max_futures_leverage: 10, tiers: [{ from: 1 }] }

let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
let target: Target
let answer: AnswerSpec = { json: { success: true, data: CHANGED } }
beforeAll(async () => {
  venue = await startRecordingUpstream(() => answer)
  target = await openTarget('in process', { VENUE: venue.url, OPS_LISTEN: '127.0.0.1:0' })
})
afterAll(async () => {
  await target.stop()
  await venue.stop()
})

const leverage = () => target.fetch('/api/prep/op/markets.leverage')

test('a live venue has no figures of practice', async () => {
  expect(await (await target.ops('/metrics')).text()).not.toMatch(/prepd_venue_(books|marks)/)
  const figures = Object(await (await target.ops('/console/figures')).json())
  expect(figures.venue).toMatchObject({ kind: 'live', books: null })
})

/** How many changed fields of an operation are counted. */
async function changesOf(operation: string): Promise<number> {
  const page = await (await target.ops('/metrics')).text()
  const series = `prepd_venue_changes_total{operation="${operation}"} `
  const line = page.split('\n').find((each) => each.startsWith(series))
  return Number(line?.slice(series.length))
}

test('a changed answer is passed on as it is, counted, logged once and shown on the console', async () => {
  expect(await (await leverage()).json()).toEqual(CHANGED)
  await until(async () => (await changesOf('markets.leverage')) === 2)
  const figures = Object(await (await target.ops('/console/figures')).json())
  const own = figures.venue.changes.filter(
    ({ operation }: { operation: string }) => operation === 'markets.leverage',
  )
  expect(own).toMatchObject([
    { kind: 'other_type', field: 'max_futures_leverage', found: 'num', count: 1 },
    { kind: 'unknown_field', field: 'tiers', found: 'list', count: 1 },
  ])
  const logged = target
    .log()
    .split('\n')
    .filter((line) => line.includes('venue_changed') && line.includes('markets.leverage'))
  expect(logged).toHaveLength(2)
})

test('an answer as it is known, and a refusal, leave no trace', async () => {
  const rows = [{ symbol: 'PERP_ETH_USDC', long_oi: 1, short_oi: 1 }]
  answer = { json: { success: true, data: { rows } } }
  expect((await target.fetch('/api/prep/op/markets.openInterest')).status).toBe(200)
  answer = { status: 400, json: { success: false, code: -1000, message: 'no' } }
  await target.fetch('/api/prep/op/markets.indexSources')
  expect(await changesOf('markets.openInterest')).toBe(0)
  expect(await changesOf('markets.indexSources')).toBe(0)
})
