import { expect, test } from 'bun:test'
import { HOUR_MS } from '../../../src/contract/durations.ts'
import { openNotifier } from './fixture.ts'

test('a condition of several counters is calm an hour after all grew, and its next growth is sent', async () => {
  const { meter, pass, notices } = openNotifier()
  const requests = meter.counter('prepd_requests_total', '/v1/markets', 'internal', '500')
  requests.add()
  meter.counter('prepd_mcp_calls_total', 'get_markets', 'internal').add()
  for (const outcome of ['internal', 'closed']) meter.counter('prepd_vouchers_total', outcome).add()
  await pass(HOUR_MS + 60_000)
  expect(notices().map(({ name }) => name)).toEqual(['voucher_refused', 'internal_errors'])
  requests.add()
  meter.counter('prepd_vouchers_total', 'internal').add()
  await pass(60_000)
  expect(notices().map(({ name }) => name)).toEqual([
    ...['voucher_refused', 'internal_errors'],
    ...['voucher_refused', 'internal_errors'],
  ])
})

test('the fence of an engine is the only notice of that cause, and no other one is over while it holds', async () => {
  const { world, meter, pass, notices } = openNotifier()
  const states = () => notices().map(({ name, state }) => `${name} ${state}`)
  let up = 1
  let fenced = 0
  meter.reading('prepd_engine_up', () => up, 'postgres')
  meter.reading('prepd_engine_fenced', () => fenced, 'postgres')
  const become = async (nextUp: number, nextFenced: number) => {
    up = nextUp
    fenced = nextFenced
    world.missing = up === 1 ? null : 'store: store_unavailable'
    await pass(2 * 60_000)
  }
  await become(0, 1)
  expect(states()).toEqual(['fenced begun'])
  await become(1, 0)
  expect(states().slice(1)).toEqual(['fenced over'])
  await become(0, 0)
  expect(states().slice(2)).toEqual(['store_failing begun', 'engine_away begun'])
  await become(0, 1)
  expect(states().slice(4)).toEqual(['fenced begun'])
  await become(1, 0)
  expect(states().slice(5).toSorted()).toEqual([
    ...['engine_away over', 'fenced over', 'store_failing over'],
  ])
})

test('lost records are the only notice of that cause, and the store is not said to fail', async () => {
  const { world, meter, pass, notices } = openNotifier()
  const states = () => notices().map(({ name, state }) => `${name} ${state}`)
  let lost = 1
  meter.reading('prepd_records_lost', () => lost)
  world.missing = 'store: The store was missing beside its mark'
  await pass(10 * 60_000)
  expect(states()).toEqual(['records_lost begun'])
  lost = 0
  world.missing = 'store: SQLITE_FULL'
  await pass(60_000)
  expect(states().slice(1).toSorted()).toEqual(['records_lost over', 'store_failing begun'])
})
