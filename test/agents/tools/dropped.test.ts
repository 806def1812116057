import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openWireWorld, type WireWorld } from '../wire-world.ts'

let opened: WireWorld
beforeAll(async () => {
  opened = await openWireWorld()
})
afterAll(() => opened.stop())

const LISTS: readonly (readonly [name: string, path: string, args: object])[] = [
  ['list_orders', '/v1/orders', { status: 'COMPLETED' }],
  ['list_fills', '/v1/trades', {}],
  ['list_fills', '/v1/trades', { order: 'oldest' }],
  ['list_algo_orders', '/v1/algo/orders', {}],
  ['list_account_history', '/v1/funding_fee/history', { kind: 'funding' }],
  ['list_account_history', '/v1/liquidations', { kind: 'liquidations' }],
]

/** Has the venue answer an empty page of a history. */
function answer(path: string, dropped: object): void {
  const meta = { total: 0, records_per_page: 25, current_page: 1, ...dropped }
  opened.instead.set(`GET ${path}`, {
    json: { success: true, timestamp: 1, data: { meta, rows: [] } },
  })
}

describe('a page of a history says how many older rows the venue keeps no more', () => {
  test.each(LISTS)('%s of %s %j', async (name, path, args) => {
    answer(path, { dropped: 128 })
    expect(await opened.world.call(name, args)).toMatchObject({ total: 0, dropped: 128 })
    answer(path, {})
    expect(await opened.world.call(name, args)).not.toHaveProperty('dropped')
  })

  test('list_account_history of transfers does not count those of both sides twice', async () => {
    answer('/v1/internal_transfer_history', { dropped: 3 })
    const transfers = await opened.world.call('list_account_history', { kind: 'transfers' })
    expect(transfers).toMatchObject({ total: 0, dropped: 3 })
  })
})
