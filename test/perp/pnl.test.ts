import { describe, expect, test } from 'bun:test'
import { ONE } from '../../src/core/decimals.ts'
import {
  DAY_READS,
  type DayTotals,
  dayPnl,
  dayTotals,
  type PeriodRows,
  parseDayTotal,
  positionsDay,
} from '../../src/perp/pnl.ts'
import { openVenueFixture } from '../simulator/fixture.ts'
import { BTC } from '../simulator/past/small-feed.ts'
import { consentsOf, passed } from '../simulator/rest/money/consents.ts'

const NOW = 1_777_500_000_000
const ETH_ROW = { symbol: 'PERP_ETH_USDC', pnl_24_h: 12.5, fee_24_h: 2 }
const BTC_ROW = { symbol: 'PERP_BTC_USDC', pnl_24_h: '-3.000001', fee_24_h: '0.5' }

const NO_ROWS = { fills: null, funding: [], liquidations: null }

const day = (total_pnl_24_h: unknown, rows: readonly object[]) =>
  dayPnl(positionsDay({ total_pnl_24_h, rows }), dayTotals(NO_ROWS, NOW))

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
  const fees = async () => positionsDay((await a.get('/v1/positions')).data).fees
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
  const answered = async (name: keyof PeriodRows) =>
    parseDayTotal((await a.get(DAY_READS[name])).data, name, fixture.nowMs())
  const positions = positionsDay({ rows, total_pnl_24_h })
  const [fills, funding] = [await answered('fills'), await answered('funding')]
  const liquidations = await answered('liquidations')
  const known = (own: Partial<DayTotals>) =>
    dayPnl(positions, { fills, funding, liquidations, ...own })
  expect(known({}).fees).toBe(paid)
  expect(known({}).net).toBe((positions.prices ?? 0n) + (paid ?? 0n))
  // A liquidation takes fees without a fill.
  expect(known({ liquidations: ONE }).net).toBeNull()
  expect(known({ fills: null }).net).toBeNull()
  expect(known({ funding: null }).net).toBeNull()
})

describe('rows of the last 24 hours', () => {
  const page = (ages: readonly number[], total: number) => ({
    rows: ages.map((age) => ({ timestamp: NOW - age })),
    meta: { total, current_page: 1 },
  })
  const DAY_MS = 86_400_000

  test('are known of an answer that has all rows, or one of an earlier day at its end', () => {
    expect(parseDayTotal(page([1, 2], 2), 'liquidations', NOW)).toBe(2n * ONE)
    expect(parseDayTotal(page([1, DAY_MS], 900), 'liquidations', NOW)).toBe(ONE)
  })

  test('are unknown where another page may have more, or rows come in another order', () => {
    expect(parseDayTotal(page([1, DAY_MS - 1], 900), 'liquidations', NOW)).toBeNull()
    expect(parseDayTotal(page([DAY_MS + 1, DAY_MS], 900), 'liquidations', NOW)).toBeNull()
    expect(parseDayTotal({ rows: [] }, 'liquidations', NOW)).toBeNull()
    expect(parseDayTotal(null, 'liquidations', NOW)).toBeNull()
  })

  test('are unknown of 500 fills that do not reach past the day, whatever total the venue names', () => {
    const fills = (count: number, oldestAge: number, total = count) => {
      const ages = Array.from({ length: count }, (_, at) => (at === count - 1 ? oldestAge : at))
      const paid = { fee: 1, fee_asset: 'USDC' }
      const rows = ages.map((age) => ({ ...paid, executed_timestamp: NOW - age }))
      return parseDayTotal({ rows, meta: { total, current_page: 1 } }, 'fills', NOW)
    }
    expect(fills(500, DAY_MS - 1)).toBeNull()
    expect(fills(500, DAY_MS)).toBe(-499n * ONE)
    expect(fills(499, DAY_MS - 1)).toBe(-499n * ONE)
  })

  test('give more fees than positions show once settled positions add up to zero', () => {
    const fee = (paid: number) => [{ fee: paid, fee_asset: 'USDC', executed_timestamp: NOW }]
    const fees = (paid: number) =>
      dayPnl(
        positionsDay({ total_pnl_24_h: 12.5, rows: [ETH_ROW] }),
        dayTotals({ fills: fee(paid), funding: [], liquidations: null }, NOW),
      ).fees
    expect(fees(7)).toBe(-7n * ONE)
    expect(fees(1)).toBe(-2n * ONE)
  })

  test('leave out what is a day old or older', () => {
    const paid = (age: number) => ({
      ...{ funding_fee: 3, payment_type: 'Pay', created_time: NOW - age },
    })
    const funding = [paid(DAY_MS - 1), paid(DAY_MS)]
    const rows = { fills: null, funding, liquidations: null }
    expect(dayPnl({ prices: 0n, fees: 0n }, dayTotals(rows, NOW)).net).toBe(-3n * ONE)
  })
})
