import { describe, expect, test } from 'bun:test'
import { openVenueFixture } from '../../fixture.ts'
import { BTC } from '../../past/small-feed.ts'
import { brokenOf, consentsOf, holdingOf, passed } from './consents.ts'

const HOUR_MS = 3_600_000

describe('a settlement', () => {
  test('turns results into balance on both sides, and the margin stays as it was', async () => {
    using fixture = openVenueFixture()
    const { settle } = consentsOf(fixture)
    const a = await fixture.trader('a')
    const b = await fixture.trader('b')
    await b.order({ side: 'SELL', order_price: 60_000, order_quantity: 0.1 })
    await a.order({ order_price: 60_000, order_quantity: 0.1 })
    fixture.move(BTC, 61_000)
    fixture.quote(BTC, { bids: [[60_999, 1]], asks: [[61_001, 1]] })
    const before = (await a.get('/v1/positions')).data
    const held = await holdingOf(a)
    expect(before.rows[0]).toMatchObject({ settle_price: 60_000 })
    expect(before.rows[0].unsettled_pnl).toBeGreaterThan(90)

    const asked = await settle(a, 'a')
    expect(asked.data).toEqual({ settle_pnl_id: expect.any(Number) })
    expect((await a.get('/v1/pnl_settlement/history')).data.rows).toEqual([])
    const requestedAtMs = fixture.nowMs()
    expect(passed(fixture, 5000)).toEqual([])

    const after = (await a.get('/v1/positions')).data
    const [row] = after.rows
    const mark = row.mark_price
    expect(row).toMatchObject({ unsettled_pnl: 0, settle_price: mark, average_open_price: 60_000 })
    expect(after.total_collateral_value).toBeCloseTo(before.total_collateral_value, 6)
    expect(after.margin_ratio).toBe(before.margin_ratio)
    const won = before.rows[0].unsettled_pnl
    expect((await holdingOf(a)).holding).toBeCloseTo(held.holding + won, 6)
    const [settlement] = (await a.get('/v1/pnl_settlement/history')).data.rows
    expect(settlement).toMatchObject({
      id: asked.data.settle_pnl_id,
      old_balance: held.holding,
      settled_amount: won,
      requested_time: requestedAtMs,
      settled_time: requestedAtMs + 3000,
      symbols: [{ symbol: BTC, settled_amount: won }],
    })
    const [other] = (await b.get('/v1/pnl_settlement/history')).data.rows
    expect(other.settled_amount).toBeLessThan(-90)
    expect(other.settled_time).toBe(settlement.settled_time)
    expect((await b.get('/v1/positions')).data.rows[0].unsettled_pnl).toBe(0)
  })

  test('settles funding that was accrued, and what was closed and not settled disappears', async () => {
    using fixture = openVenueFixture()
    const { settle } = consentsOf(fixture)
    const a = await fixture.trader('a')
    await a.order({ order_type: 'MARKET', order_price: null })
    passed(fixture, 2 * HOUR_MS)
    const funding = async () => (await a.get('/v1/funding_fee/history')).data.rows
    expect((await funding()).map(({ status }: { status: string }) => status)).toEqual([
      'Accrued',
      'Accrued',
    ])
    await a.order({ side: 'SELL', order_type: 'MARKET', order_price: null })
    expect((await a.get('/v1/positions')).data.rows).toMatchObject([{ position_qty: 0 }])
    await settle(a, 'a')
    const askedAtMs = fixture.nowMs()
    expect(passed(fixture, 5000)).toEqual([])
    expect((await a.get('/v1/positions')).data.rows).toEqual([])
    expect(await funding()).toMatchObject([
      { status: 'Settled', updated_time: askedAtMs + 3000 },
      { status: 'Settled', updated_time: askedAtMs + 3000 },
    ])
    passed(fixture, HOUR_MS)
    expect(await funding()).toHaveLength(2)
  })

  test('may be asked for once in ten minutes, with each nonce once', async () => {
    using fixture = openVenueFixture()
    const { settle } = consentsOf(fixture)
    const a = await fixture.trader('a')
    expect((await settle(a, 'a')).status).toBe(200)
    const spent = { message: { settleNonce: 1 } }
    expect(await settle(a, 'a')).toMatchObject({ status: 400, code: -1104 })
    expect(await settle(a, 'a', spent)).toMatchObject({ status: 409, code: -1007 })
    expect(await settle(a, 'a', { message: { settleNonce: 7 } })).toMatchObject({ code: -1005 })
    passed(fixture, 600_000)
    expect((await settle(a, 'a')).status).toBe(200)
    passed(fixture, 5000)
    expect((await a.get('/v1/pnl_settlement/history')).data.meta.total).toBe(2)
  })

  test('is found again after a restart in the middle of it', async () => {
    using fixture = openVenueFixture()
    const { settle } = consentsOf(fixture)
    const a = await fixture.trader('a')
    await a.order({ order_type: 'MARKET', order_price: null })
    fixture.move(BTC, 61_000)
    await settle(a, 'a')
    fixture.restart()
    expect(passed(fixture, 5000)).toEqual([])
    const history = (await a.get('/v1/pnl_settlement/history')).data
    expect(history.rows).toHaveLength(1)
    fixture.restart()
    expect((await a.get('/v1/pnl_settlement/history')).data).toEqual(history)
  })

  test('leaves everything as it was when the consent is not good', async () => {
    using fixture = openVenueFixture()
    const { settle } = consentsOf(fixture)
    const a = await fixture.trader('a')
    await a.order({ order_type: 'MARKET', order_price: null })
    fixture.move(BTC, 61_000)
    const stale = { timestamp: fixture.nowMs() - 301_000 }
    const refusals = [
      [await settle(a, 'a', { wallet: 'b' }), 9],
      [await settle(a, 'a', { forged: { timestamp: fixture.nowMs() - 1 } }), 9],
      [await settle(a, 'a', { body: { signature: '0x12' } }), 3],
      [await settle(a, 'a', { message: stale }), 2],
      [await settle(a, 'a', { message: { brokerId: 'another' } }), 15],
      [await settle(a, 'a', { body: { verifyingContract: a.address } }), 29],
      [await settle(a, 'a', { body: { message: 'x' } }), -1005],
    ] as const
    for (const [answer, code] of refusals) expect(answer).toMatchObject({ status: 400, code })
    expect(passed(fixture, 10_000)).toEqual([])
    expect((await a.get('/v1/pnl_settlement/history')).data.rows).toEqual([])
    expect((await a.get('/v1/settle_nonce')).data).toEqual({ settle_nonce: 1 })
    expect((await holdingOf(a)).holding).toBe(10_000)
    expect(brokenOf(fixture)).toEqual([])
  })
})
