import { describe, expect, test } from 'bun:test'
import { ONE } from '../../src/core/decimals.ts'
import { dayPnl } from '../../src/perp/pnl.ts'
import { openVenueFixture } from '../venue/fixture.ts'
import { BTC } from '../venue/past/small-feed.ts'
import { consentsOf, passed } from '../venue/rest/money/consents.ts'

const NOW = 1_777_500_000_000
const ETH_ROW = { symbol: 'PERP_ETH_USDC', pnl_24_h: 12.5, fee_24_h: 2 }
const BTC_ROW = { symbol: 'PERP_BTC_USDC', pnl_24_h: '-3.000001', fee_24_h: '0.5' }

const day = (total_pnl_24_h: unknown, rows: readonly object[]) =>
  dayPnl({ total_pnl_24_h, rows }, [], NOW)

describe('fees of 24 hours', () => {
  test('are those of the rows while the rows hold all PnL of the day', () => {
    const { fees, net } = day(9.499999, [ETH_ROW, BTC_ROW])
    expect(fees).toBe((-25n * ONE) / 10n)
    expect(net).toBe((6_999_999n * ONE) / 1_000_000n)
    expect(day(0, [])).toMatchObject({ fees: 0n, net: 0n })
  })

  test('are unknown, and PnL with them, once a position of the day has no row', () => {
    expect(day(9.499999, [ETH_ROW])).toMatchObject({ fees: null, net: null })
    expect(day(-4, [])).toMatchObject({ prices: -4n * ONE, fees: null, funding: 0n, net: null })
  })

  test('are known although each row is rounded by a micro-USDC, and unknown beyond that', () => {
    expect(day(9.500001, [ETH_ROW, BTC_ROW]).fees).not.toBeNull()
    expect(day(9.500002, [ETH_ROW, BTC_ROW]).fees).toBeNull()
  })

  test('are unknown where a row or the total says no PnL', () => {
    expect(day(12.5, [{ ...ETH_ROW, pnl_24_h: null }]).fees).toBeNull()
    expect(day(undefined, [ETH_ROW])).toMatchObject({ prices: null, fees: null, net: null })
  })
})

test('fees of 24 hours are unknown once a venue has settled a position that was closed', async () => {
  using fixture = openVenueFixture()
  const { settle } = consentsOf(fixture)
  const a = await fixture.trader('a')
  const b = await fixture.trader('b')
  const fees = async () => dayPnl((await a.get('/v1/positions')).data, [], fixture.nowMs()).fees
  await b.order({ side: 'SELL', order_price: 60_000, order_quantity: 0.1 })
  await a.order({ order_price: 60_000, order_quantity: 0.1 })
  fixture.move(BTC, 60_500)
  fixture.quote(BTC, { bids: [[60_499, 1]], asks: [[60_501, 1]] })
  await a.order({ side: 'SELL', order_price: 60_499, order_quantity: 0.1 })
  const paid = await fees()
  expect(paid).toBeLessThan(-7n * ONE)
  await settle(a, 'a')
  passed(fixture, 5000)
  const { rows, total_pnl_24_h } = (await a.get('/v1/positions')).data
  expect(rows).toEqual([])
  expect(total_pnl_24_h).toBeCloseTo(49.9, 6)
  expect(await fees()).toBeNull()
})
