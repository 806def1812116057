import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { encode } from 'gpt-tokenizer'
import wire from '../../vectors/tools-wire.json'
import { type Loose, openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'
import { openWireWorld, type WireWorld } from '../wire-world.ts'

const ETH = 'PERP_ETH_USDC'
const BTC = 'PERP_BTC_USDC'
const FAUCET_USDC = 10_000
const HOUR_MS = 3_600_000
const TOKENS_MAX = 800

let service: ToolWorld
beforeAll(async () => {
  // Half a minute before funding is paid.
  service = await openEmbeddedWorld({ VENUE_START: '2026-01-01T07:59:30Z', VENUE_MARKETS: 'all' })
})
afterAll(() => service.stop())

function market(symbol: string, side: string, usdc: number) {
  return { symbol, side, order_type: 'MARKET', order_amount: usdc }
}

describe('a report of an account on the embedded venue', () => {
  // Slow: minutes of a venue are simulated between trades.
  test('adds up to the account value: deposits, realised PnL, fees, funding, open positions', async () => {
    const world = await service.another()
    await world.call('place_order', market(ETH, 'BUY', 20_000))
    await world.call('place_order', market(BTC, 'SELL', 15_000))
    await service.ops('/venue/advance?ms=60000', { method: 'POST' })
    await world.call('close_position', { symbol: ETH, percent: 40 })
    const report = await world.call('get_report')
    const { account_value, unrealized_pnl, pnl } = report
    const { trading, fees, funding, net } = pnl.last_7d
    expect(fees).toBeLessThan(0)
    expect(trading).not.toBe(0)
    expect(funding).not.toBe(0)
    expect(net).toBeCloseTo(trading + fees + funding, 5)
    expect(account_value - FAUCET_USDC).toBeCloseTo(net + unrealized_pnl, 2)
    expect(pnl.last_24h).toEqual(pnl.last_7d)
    expect(pnl.value_24h).toMatchObject({ fees, funding })
    expect(account_value - FAUCET_USDC).toBeCloseTo(pnl.value_24h.net, 2)

    const { fills } = await world.call('list_fills', { size: 100 })
    const sumOf = (rows: Loose[], field: string) =>
      rows.reduce((sum: number, row: Loose) => sum + row[field], 0)
    expect(trading).toBeCloseTo(sumOf(fills, 'realized_pnl'), 5)
    expect(fees).toBeCloseTo(-sumOf(fills, 'fee'), 5)
    // Closed at their break-even prices, both positions leave what was paid in.
    const path = '/v1/client/info'
    const info = Object(await world.client.relay(world.credentials, { method: 'GET', path }))
    const taker = info.futures_taker_fee_rate / 10_000
    const closing = report.positions.rows.map(([, held, mark, , even]: number[]) => {
      const [quantity = 0, from = 0, price = 0] = [held, mark, even]
      return quantity * (price - from) - Math.abs(quantity) * price * taker
    })
    expect(closing).toHaveLength(2)
    const left = closing.reduce((sum: number, won: number) => sum + won, account_value)
    expect(left).toBeCloseTo(FAUCET_USDC, 2)

    const account = await world.call('get_account')
    expect(report).toMatchObject({
      account_value: account.account_value,
      free_collateral: account.free_collateral,
      margin_ratio: account.margin_ratio,
    })
  })

  test('shows the position that is nearest to its liquidation first, and every open order', async () => {
    const world = await service.another()
    await world.call('place_order', market(BTC, 'BUY', 1000))
    await world.call('place_order', market(ETH, 'BUY', 40_000))
    const { market: eth } = await world.call('get_market', { symbol: ETH })
    const price = Math.round(eth.mark_price * 0.9)
    const rest = { symbol: ETH, side: 'BUY', order_type: 'LIMIT', order_quantity: 0.1 }
    await world.call('place_order', { ...rest, order_price: price })
    await world.call('set_position_tp_sl', { symbol: ETH, stop_loss_price: price })
    const report = await world.call('get_report')
    const { positions } = await world.call('list_positions', { sort: 'liquidation' })
    expect(report.positions.total).toBe(2)
    expect(report.positions.rows.map(([symbol]: string[]) => symbol)).toEqual(
      positions.map(({ symbol }: Loose) => symbol),
    )
    expect(report.positions.rows[0].at(-1)).toBeCloseTo(positions[0].liq_distance_pct, 1)
    expect(report.open_orders.rows).toMatchObject([[expect.any(Number), ETH, 'BUY', price, 0.1]])
    expect(report.conditional_orders.rows[0].slice(1, 4)).toEqual([ETH, 'POSITIONAL_TP_SL', price])
  })

  test(`costs at most ${TOKENS_MAX} tokens, however much is open`, async () => {
    const world = await service.another()
    const { markets } = await world.call('list_markets', { limit: 12 })
    for (const { symbol, mark_price } of markets) {
      await world.call('place_order', market(symbol, 'BUY', 400))
      const { suggested } = await world.call('preview_order', {
        ...{ symbol, side: 'BUY', order_type: 'LIMIT', order_amount: 100 },
        order_price: mark_price * 0.95,
      })
      await world.call('place_order', suggested)
      const stop = { symbol, side: 'SELL', algo_type: 'TRAILING_STOP', callback_rate: 0.1 }
      await world.call('place_algo_order', { ...stop, order_quantity: suggested.order_quantity })
    }
    const report = await world.call('get_report')
    expect(report.positions).toMatchObject({ total: 12 })
    expect(report.open_orders.total).toBe(12)
    expect(report.conditional_orders.total).toBe(12)
    expect(report.events.total).toBeGreaterThan(12)
    expect(encode(JSON.stringify(report)).length).toBeLessThanOrEqual(TOKENS_MAX)
  })

  test('of an account without anything is short', async () => {
    const world = await service.another()
    const report = await world.call('get_report')
    expect(report).toMatchObject({
      account_value: FAUCET_USDC,
      unrealized_pnl: 0,
      positions: { total: 0 },
      open_orders: { total: 0 },
      conditional_orders: { total: 0 },
      pnl: { last_24h: { trading: 0, fees: 0, funding: 0, net: 0 } },
    })
  })
})

describe('what is not known is null', () => {
  let live: WireWorld
  const FILLS = 'GET /v1/trades'
  const at = 1_777_500_000_000
  const fill = {
    ...{ id: 1, symbol: BTC, side: 'SELL', executed_price: 60_000, executed_quantity: 0.1 },
    ...{ executed_timestamp: at - HOUR_MS, fee: 1.8, fee_asset: 'USDC', realized_pnl: 10.5 },
  }
  const paid = { symbol: BTC, funding_fee: 0.25, payment_type: 'Pay', created_time: at - HOUR_MS }
  const page = (rows: readonly object[], total = rows.length) => ({
    json: { success: true, data: { meta: { total }, rows } },
  })

  beforeAll(async () => {
    live = await openWireWorld()
  })
  beforeEach(() => {
    live.instead.clear()
    const book = { ...wire['POST /v1/public/query'].data, ts: at }
    live.instead.set('POST /v1/public/query', {
      json: { success: true, timestamp: at, data: book },
    })
    live.instead.set(FILLS, page([fill]))
    live.instead.set('GET /v1/funding_fee/history', page([paid]))
    live.instead.set('GET /v1/liquidations', page([]))
    live.instead.set('GET /v1/asset/history', page([]))
    live.instead.set('GET /v1/algo/orders', page([]))
  })
  afterAll(() => live.stop())

  const report = () => live.world.call('get_report')

  test('and what is known is signed as it changed the account', async () => {
    const { pnl, account_value, unrealized_pnl, positions, untrusted_text } = await report()
    expect(pnl.last_24h).toEqual({ trading: 10.5, fees: -1.8, funding: -0.25, net: 8.45 })
    expect({ account_value, unrealized_pnl }).toEqual({
      account_value: 10010.5,
      unrealized_pnl: 10.5,
    })
    expect(positions.rows).toEqual([[BTC, 0.05, 60210, 10.5, null, null]])
    expect(untrusted_text).toBe(true)
  })

  test('and a day and a week have figures of their own, and events begin at a time', async () => {
    const older = { ...fill, executed_timestamp: at - 48 * HOUR_MS, side: 'BUY', realized_pnl: 1 }
    live.instead.set(FILLS, page([fill, older]))
    const { pnl, events, since, as_of } = await report()
    expect([as_of, since]).toEqual([at, at - 24 * HOUR_MS])
    expect(pnl.last_24h).toMatchObject({ trading: 10.5, fees: -1.8 })
    expect(pnl.last_7d).toMatchObject({ trading: 11.5, fees: -3.6 })
    expect(events).toEqual({
      total: 1,
      columns: ['at', 'event', 'symbol', 'quantity', 'price'],
      rows: [[at - HOUR_MS, 'SELL', BTC, 0.1, 60_000]],
    })
    const longer = await live.world.call('get_report', { since: at - 400 * 24 * HOUR_MS })
    expect([longer.since, longer.events.total]).toEqual([at - 7 * 24 * HOUR_MS, 2])
  })

  test('trading after a liquidation, which has no fills', async () => {
    live.instead.set('GET /v1/liquidations', page([{ timestamp: at - 48 * HOUR_MS }]))
    const { pnl } = await report()
    expect(pnl.last_24h).toMatchObject({ trading: 10.5, net: 8.45 })
    expect(pnl.last_7d).toEqual({ trading: null, fees: -1.8, funding: -0.25, net: null })
  })

  test('a fee in another token', async () => {
    live.instead.set(FILLS, page([{ ...fill, fee_asset: 'XYZ' }]))
    expect((await report()).pnl.last_24h).toMatchObject({ trading: 10.5, fees: null, net: null })
  })

  test('more fills than one report reads', async () => {
    live.instead.set(FILLS, page([fill], 2001))
    const { pnl, events } = await report()
    expect(pnl.last_24h).toMatchObject({ trading: null, fees: null, funding: -0.25, net: null })
    expect(events).toBeNull()
  })

  test('no fill that a newer one has shifted into the next page, which counts once', async () => {
    const fills = Array.from({ length: 500 }, (_, id) => ({ ...fill, id, realized_pnl: 1 }))
    const next = [fills[499] ?? fill, { ...fill, id: 500, realized_pnl: 1 }]
    const pages = [page(fills, 501), page(next, 502)]
    live.pages.set(FILLS, pages)
    const { pnl } = await report()
    live.pages.delete(FILLS)
    expect(pnl.last_24h).toMatchObject({ trading: 501 })
  })

  test('no fill beyond the most that one read answers: those before the oldest are read next', async () => {
    const fills = Array.from({ length: 600 }, (_, id) => ({
      ...{ ...fill, id, realized_pnl: 1, executed_timestamp: at - HOUR_MS - Math.floor(id / 4) },
    }))
    const pages = [page(fills.slice(0, 500)), page(fills.slice(496))]
    live.pages.set(FILLS, pages)
    const from = live.venue.requests.length
    const { pnl } = await report()
    live.pages.delete(FILLS)
    expect(pnl.last_24h).toMatchObject({ trading: 600 })
    const reads = live.venue.requests.slice(from).filter(({ target }) => /v1.trades/.test(target))
    expect(reads.map(({ target }) => /end_t=(\d+)/.exec(target)?.[1])).toEqual([
      undefined,
      String(at - HOUR_MS - 124 + 1),
    ])
  })

  test('fills of which one millisecond has as many as one read answers', async () => {
    const fills = Array.from({ length: 500 }, (_, id) => ({ ...fill, id }))
    live.instead.set(FILLS, page(fills))
    expect((await report()).pnl.last_24h).toMatchObject({ trading: null, fees: null })
  })

  test('a history that does not answer, and conditional orders of a venue that has none', async () => {
    live.instead.set('GET /v1/funding_fee/history', { status: 500, json: { success: false } })
    live.instead.set('GET /v1/algo/orders', { status: 404, json: { success: false, code: -1006 } })
    const { pnl, conditional_orders } = await report()
    expect(pnl.last_24h).toMatchObject({ trading: 10.5, funding: null, net: null })
    expect(conditional_orders).toBeNull()
  })

  test('an account that cannot be read is a failure, not a report', async () => {
    live.instead.set('GET /v1/positions', { status: 503, json: { success: false, code: -1000 } })
    expect((await live.world.refused('get_report')).code).toBe('upstream_unavailable')
  })
})
