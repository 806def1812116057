import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../../runs.ts'
import { readAll } from '../account-reads.ts'
import { openVenueFixture, type VenueFixture } from '../fixture.ts'
import { BTC, ETH } from '../past/small-feed.ts'
import { happen, scenarios, TRADERS } from '../random-events.ts'

/** Exact integers again: eight decimals, and six. */
const fixed = (value: number) => BigInt(Math.round(value * 1e8))
const micro = (value: number) => BigInt(Math.round(value * 1e6))

function sum<T>(rows: readonly T[], amountOf: (row: T) => bigint): bigint {
  return rows.reduce((total, row) => total + amountOf(row), 0n)
}

type TradeRow = {
  readonly id: number
  readonly order_id: number
  readonly match_id: number
  readonly side: string
  readonly executed_price: number
  readonly executed_quantity: number
  readonly fee: number
}

const signed = (row: TradeRow) => (row.side === 'BUY' ? 1n : -1n) * fixed(row.executed_quantity)
const notional = (row: TradeRow) => {
  const value = fixed(row.executed_price) * fixed(row.executed_quantity)
  return ((row.side === 'BUY' ? 1n : -1n) * (value + 5_000_000_000n)) / 10_000_000_000n
}

/** Checks that an account's positions, orders and trades agree. */
function checkAccount(reads: Awaited<ReturnType<typeof readAll>>): void {
  const trades: readonly TradeRow[] = reads['/v1/trades?size=500'].rows
  const funding = sum(
    reads['/v1/funding_fee/history?size=500'].rows as readonly FundingRow[],
    fundingOf,
  )
  const [position = { position_qty: 0, cost_position: 0, unsettled_pnl: 0 }] =
    reads['/v1/positions'].rows
  expect(fixed(position.position_qty)).toBe(sum(trades, signed))
  expect(micro(position.cost_position)).toBe(
    sum(trades, notional) + sum(trades, (row) => micro(row.fee)) + funding,
  )
  const { total_collateral_value, total_unsettled_pnl } = reads['/v1/client/info']
  expect(micro(total_collateral_value)).toBe(10_000_000_000n + micro(position.unsettled_pnl))
  expect(total_unsettled_pnl).toBe(position.unsettled_pnl)
  expect(reads['/v1/client/holding'].holding[0].holding).toBe(10_000)

  for (const order of reads['/v1/orders?size=500'].rows as readonly OrderRow[]) {
    const own = trades.filter((trade) => trade.order_id === order.order_id)
    expect(fixed(order.executed)).toBe(sum(own, (row) => fixed(row.executed_quantity)))
    expect(micro(order.total_fee)).toBe(sum(own, (row) => micro(row.fee)))
    const isDone = order.executed === order.quantity
    expect(order.status === 'FILLED').toBe(isDone)
    if (order.status === 'NEW') expect(order.executed).toBe(0)
  }
  checkReduceOnly(trades, reads['/v1/orders?size=500'].rows)
}

type FundingRow = { readonly payment_type: string; readonly funding_fee: number }
type OrderRow = {
  readonly order_id: number
  readonly status: string
  readonly executed: number
  readonly quantity: number
  readonly total_fee: number
  readonly reduce_only: boolean
}

function fundingOf({ payment_type, funding_fee }: FundingRow): bigint {
  return payment_type === 'Pay' ? micro(funding_fee) : -micro(funding_fee)
}

/** No fill of a reduce-only order ever made the position larger, or of the other sign. */
function checkReduceOnly(trades: readonly TradeRow[], orders: readonly OrderRow[]): void {
  const reducing = new Set(
    orders.filter((order) => order.reduce_only).map((order) => order.order_id),
  )
  let position = 0n
  for (const trade of trades.toSorted((a, b) => a.id - b.id)) {
    const after = position + signed(trade)
    if (reducing.has(trade.order_id)) {
      const shrinks =
        position > 0n ? after >= 0n && after < position : after <= 0n && after > position
      expect(shrinks).toBe(true)
    }
    position = after
  }
}

/** Checks that both sides of a match between two users agree. */
function checkMatches(all: readonly TradeRow[]): void {
  for (const rows of Map.groupBy(all, (row) => row.match_id).values()) {
    expect(rows.length).toBeLessThanOrEqual(2)
    const [one, other] = rows
    if (!one || !other) continue
    expect(signed(one) + signed(other)).toBe(0n)
    expect(other.executed_price).toBe(one.executed_price)
  }
}

function checkBook(fixture: VenueFixture): void {
  for (const symbol of [BTC, ETH]) {
    const { bids, asks } = fixture.book(symbol)
    if (bids[0] && asks[0]) expect(bids[0].price).toBeLessThan(asks[0].price)
  }
}

// Slow: random scenarios are each run on a venue of their own, which starts again.
test('whatever happens adds up, the book never crosses, and a restart finds everything as it was', async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      using fixture = openVenueFixture()
      const traders = await Promise.all(TRADERS.map((name) => fixture.trader(name)))
      for (const event of scenario) {
        await happen(fixture, traders, event)
        checkBook(fixture)
      }
      const before = await Promise.all(traders.map(readAll))
      for (const reads of before) checkAccount(reads)
      checkMatches(before.flatMap((reads) => reads['/v1/trades?size=500'].rows))
      const book = fixture.book(BTC)
      fixture.restart()
      expect(await Promise.all(traders.map(readAll))).toEqual(before)
      expect(fixture.book(BTC)).toEqual(book)
      expect(fixture.faults).toEqual([])
    }),
    { numRuns: runs(20) },
  )
})

test('a request that is refused leaves no order, neither now nor after a restart', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  const { rows: before } = (await trader.get('/v1/orders')).data
  expect((await trader.order({ order_price: 1 })).status).toBe(400)
  fixture.restart()
  expect((await trader.get('/v1/orders')).data.rows).toEqual(before)
})

test('an order answered before the process is killed is still open, in its place, afterwards', async () => {
  using fixture = openVenueFixture()
  const [first, second, taker] = [
    await fixture.trader('a'),
    await fixture.trader('b'),
    await fixture.trader('c'),
  ]
  const early = (await first.order({ order_price: 60_000 })).data.order_id
  await second.order({ order_price: 60_000 })
  fixture.restart()
  await taker.order({ side: 'SELL', order_price: 60_000, order_quantity: 0.1 })
  expect((await first.get(`/v1/order/${early}`)).data.status).toBe('FILLED')
  expect((await second.get('/v1/orders')).data.rows).toMatchObject([{ status: 'NEW' }])
})

const OPENING_QUOTES = { bids: [[59_999, 1]], asks: [[60_001, 1]] } as const

test('a history of more than one page is told in full, while few of its rows are in memory', async () => {
  using fixture = openVenueFixture({ faucet: 1_000_000_000_000n })
  const trader = await fixture.trader('a')
  for (let turn = 0; turn < 255; turn++) {
    for (const side of ['BUY', 'SELL'])
      await trader.order({
        side,
        order_type: 'IOC',
        order_price: side === 'BUY' ? 60_001 : 59_999,
        order_quantity: 0.001,
      })
    if (turn % 100 === 0) fixture.quote(BTC, OPENING_QUOTES)
  }
  expect((await trader.get('/v1/trades?size=500')).data.meta.total).toBe(510)
  expect((await trader.get('/v1/orders')).data.meta.total).toBe(510)
  const simulation = fixture.exchange().simulation()
  const account = simulation.engine.world.exchange.byKey.get(trader.accountId)
  if (!account) throw new RangeError('no account')
  const { orders, trades } = simulation.records.of(account)
  expect(Math.max(orders.length, trades.length)).toBeLessThan(256)
})
