import { expect, test } from 'bun:test'
import { withOrders, withPositions } from '../../src/pages/trade/account/live-rows.ts'
import type { LiveUpdates } from '../../src/pages/trade/feed/feed.ts'
import { openFeed } from './live-fixture.ts'

/** A feed with an account's line, whose messages say what of its rows has changed. */
async function openAccount() {
  const at = openFeed()
  const read = { rows: [row('1.5', '2000')], free_collateral: '5' }
  const { reading } = at.watch('account', ACCOUNT, read)
  at.open()
  at.source.identify(async () => ({ accountId: '', key: '', timestamp: '', signature: '' }))
  at.receive({ type: 'ack', op: 'auth', ts: '1' })
  await at.pass(200)
  at.publish('positions', 'resync', 1, { reads: [] })
  await at.pass(500)
  return { ...at, reading }
}

const ACCOUNT: LiveUpdates = { kind: 'change', topics: ['positions'], patched: withPositions }

function row(position_qty: string, mark_price: string) {
  return { symbol: 'PERP_ETH_USDC', margin_mode: 'CROSS', position_qty, mark_price }
}

test('orders that are changed by a message have no total of an earlier read', () => {
  const read = { rows: [{ order_id: '1', status: 'NEW' }], meta: { total: '1' } }
  const { data, isAll } = withOrders(read, 'orders', [{ order_id: '1', status: 'CANCELLED' }])
  expect(data).toEqual({ rows: [] })
  expect(isAll).toBe(true)
})

test('a mark that moves is shown from its message, and is no reason to read', async () => {
  const { publish, pass, loads, reading } = await openAccount()
  const before = loads.length
  publish('positions', 'event', 2, { rows: [row('1.50', '2001')] })
  expect(Object(reading.peek().data).rows).toEqual([row('1.50', '2001')])
  expect(Object(reading.peek().data).free_collateral).toBe('5')
  await pass(10_000)
  expect(loads).toHaveLength(before)
})

test('a position that changes is shown from its message, and is a reason to read once', async () => {
  const { publish, pass, loads, reading } = await openAccount()
  const before = loads.length
  publish('positions', 'event', 2, { rows: [row('2', '2001')] })
  publish('positions', 'event', 3, { rows: [row('2.5', '2001')] })
  expect(Object(reading.peek().data).rows).toEqual([row('2.5', '2001')])
  await pass(10_000)
  expect(loads).toHaveLength(before + 1)
})

test('a message that was lost is a reason to read', async () => {
  const { publish, pass, loads } = await openAccount()
  const before = loads.length
  publish('positions', 'event', 3, { rows: [row('1.5', '2001')] })
  await pass(1000)
  expect(loads).toHaveLength(before + 1)
})
