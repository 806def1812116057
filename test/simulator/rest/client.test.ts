import { describe, expect, test } from 'bun:test'
import { openVenueFixture } from '../fixture.ts'
import { BTC, ETH } from '../past/small-feed.ts'

const DAY_MS = 86_400_000

describe('the account', () => {
  test('info has fees in basis points and margin figures that agree with the positions', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await trader.order({ order_type: 'MARKET', order_price: null })
    await trader.order({ order_price: 59_000 })
    const { data } = await trader.get('/v1/client/info')
    const positions = (await trader.get('/v1/positions')).data
    expect(data).toMatchObject({
      account_id: trader.accountId,
      account_mode: 'FUTURES',
      max_leverage: 10,
      taker_fee_rate: 6,
      maker_fee_rate: 2,
      futures_taker_fee_rate: 6,
      futures_maker_fee_rate: 2,
      imr_factor: { [BTC]: 9.1e-8, [ETH]: 1.724e-7 },
      max_notional: { [BTC]: 35_579_370 },
      total_unsettled_pnl: -3.70006,
    })
    for (const name of [
      'total_collateral_value',
      'free_collateral',
      'margin_ratio',
      'maintenance_margin_ratio',
    ])
      expect(data[name]).toBe(positions[name])
    expect(data.total_collateral_value).toBe(9996.29994)
    expect(data.free_collateral).toBe(8796.29994)
  })

  test('without a position the margin ratio is ten', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    expect((await trader.get('/v1/client/info')).data).toMatchObject({
      margin_ratio: 10,
      maintenance_margin_ratio: 0,
      total_collateral_value: 10_000,
      free_collateral: 10_000,
      total_unsettled_pnl: 0,
    })
  })

  test('a trade does not change the holding', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const before = (await trader.get('/v1/client/holding')).data
    await trader.order({ order_type: 'MARKET', order_price: null })
    expect((await trader.get('/v1/client/holding')).data).toEqual(before)
  })

  test('keys are told with their state', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a', { keyLifeMs: DAY_MS })
    fixture.sleep(DAY_MS / 2)
    const fresh = await fixture.trader('a', { scope: 'read' })
    const rows = async (query = '') => (await fresh.get(`/v1/client/key_info${query}`)).data.rows
    expect(await rows()).toMatchObject([
      {
        orderly_key: trader.publicKey,
        scope: 'read,trading',
        key_status: 'ACTIVE',
        ip_restriction_list: [],
      },
      { orderly_key: fresh.publicKey, scope: 'read', key_status: 'ACTIVE' },
    ])
    fixture.sleep(DAY_MS / 2)
    expect(await rows('?key_status=ACTIVE')).toMatchObject([{ orderly_key: fresh.publicKey }])
    expect(await rows('?key_status=REMOVED')).toMatchObject([{ orderly_key: trader.publicKey }])
  })

  test('a key may be used from everywhere, and only one of the account’s own is told of', async () => {
    using fixture = openVenueFixture()
    const [a, b] = [await fixture.trader('a'), await fixture.trader('b')]
    const path = '/v1/client/orderly_key_ip_restriction'
    const restriction = (key: string) => a.get(`${path}?orderly_key=${encodeURIComponent(key)}`)
    expect((await restriction(a.publicKey)).data).toEqual({
      ...{ account_id: a.accountId, orderly_key: a.publicKey, ip_restriction_list: [], tag: null },
    })
    expect(await restriction(b.publicKey)).toMatchObject({ status: 400, code: -1006 })
    expect((await a.get(path)).code).toBe(-1005)
  })

  test('deposits are selected by side, status and time', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const count = async (query: string) =>
      (await trader.get(`/v1/asset/history${query}`)).data.meta.total
    expect(await count('?side=DEPOSIT&status=COMPLETED&token=USDC')).toBe(1)
    expect(await count('?side=WITHDRAW')).toBe(0)
    expect(await count(`?start_t=${fixture.nowMs() + 1}`)).toBe(0)
  })

  test('what has not happened has an empty history', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    for (const path of ['/v1/pnl_settlement/history', '/v1/liquidations'])
      expect((await trader.get(path)).data).toMatchObject({ meta: { total: 0 }, rows: [] })
  })
})

describe('leverage', () => {
  test('one market is set, and margin follows', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await trader.order({ order_type: 'MARKET', order_price: null })
    const answer = await trader.post('/v1/client/leverages', { symbol: BTC, leverage: 20 })
    expect(answer.data).toEqual({ symbol: BTC, margin_mode: 'CROSS', leverage: 20 })
    expect((await trader.get(`/v1/position/${BTC}`)).data).toMatchObject({
      leverage: 20,
      imr: 0.05,
    })
    expect((await trader.get('/v1/client/leverages')).data.rows).toEqual([
      { symbol: BTC, margin_mode: 'CROSS', leverage: 20 },
      { symbol: BTC, margin_mode: 'ISOLATED', leverage: 10 },
      { symbol: ETH, margin_mode: 'CROSS', leverage: 10 },
      { symbol: ETH, margin_mode: 'ISOLATED', leverage: 10 },
    ])
  })

  test('the legacy setter sets all markets and survives a restart', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const answer = await trader.post('/v1/client/leverage', { leverage: 25 })
    expect(answer.body).toEqual({ success: true, timestamp: fixture.nowMs() })
    fixture.restart()
    expect((await trader.get(`/v1/client/leverage?symbol=${ETH}`)).data.leverage).toBe(25)
  })

  test.each([
    { body: { symbol: BTC, leverage: 0 }, code: -1005 },
    { body: { symbol: BTC, leverage: 101 }, code: -1005 },
    { body: { symbol: BTC, leverage: 2.5 }, code: -1005 },
    { body: { symbol: BTC }, code: -1005 },
    { body: { symbol: 'PERP_NOPE_USDC', leverage: 5 }, code: -1005 },
    { body: { symbol: BTC, leverage: 20, margin_mode: 'PORTFOLIO' }, code: -1005 },
    { body: { symbol: BTC, leverage: 1 }, code: -1101 },
  ])('$body.leverage is refused with $code and changes nothing', async ({ body, code }) => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await trader.order({ order_type: 'MARKET', order_price: null, order_quantity: 0.5 })
    expect(await trader.post('/v1/client/leverages', body)).toMatchObject({ status: 400, code })
    expect((await trader.get(`/v1/client/leverage?symbol=${BTC}`)).data.leverage).toBe(10)
  })
})

describe('volume', () => {
  test('a day counts all fills, however many there are', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const order = { order_type: 'MARKET', order_price: null, order_quantity: 0.001 }
    for (let at = 0; at < 520; at++)
      await trader.order({ ...order, side: at % 2 === 0 ? 'BUY' : 'SELL' })
    await trader.order({ ...order, order_quantity: 0.2 })
    const { meta } = (await trader.get('/v1/trades')).data
    expect(meta.total).toBe(521)
    const stats = (await trader.get('/v1/volume/user/stats')).data
    expect(stats.perp_volume_last_1_day).toBe(stats.perp_volume_ltd)
    expect(stats.perp_volume_last_1_day).toBeGreaterThan(40_000)
    const [position] = (await trader.get('/v1/positions')).data.rows
    const { pnl_24_h: won, fee_24_h: paid, unsettled_pnl: unsettled } = position
    expect(won - paid).toBeCloseTo(unsettled, 4)
    fixture.warp(DAY_MS)
    expect((await trader.get('/v1/volume/user/stats')).data.perp_volume_last_1_day).toBe(0)
  })

  test('days and totals add up to the trades', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await trader.order({ order_type: 'MARKET', order_price: null })
    fixture.warp(DAY_MS)
    await trader.order({ order_type: 'MARKET', order_price: null, order_quantity: 0.2 })
    const daily = (
      await trader.get('/v1/volume/user/daily?start_date=2025-01-01&end_date=2026-01-01')
    ).data
    expect(daily).toEqual([
      { date: '2025-06-15', perp_volume: 6000.1 },
      { date: '2025-06-16', perp_volume: 12_000.2 },
    ])
    expect((await trader.get('/v1/volume/user/stats')).data).toEqual({
      perp_volume_ytd: 18_000.3,
      perp_volume_ltd: 18_000.3,
      perp_volume_today: 12_000.2,
      perp_volume_last_1_day: 12_000.2,
      perp_volume_last_7_days: 18_000.3,
      perp_volume_last_30_days: 18_000.3,
    })
    expect((await trader.get('/v1/client/statistics')).data).toMatchObject({
      days_since_registration: 1,
      fees_paid_last_30_days: 10.80018,
      perp_trading_volume_ltd: 18_000.3,
      perp_trading_volume_last_24_hours: 12_000.2,
    })
  })

  test.each(['', '?start_date=2025-01-01', '?start_date=2025-01-01&end_date=tomorrow'])(
    'the days %p are refused',
    async (query) => {
      using fixture = openVenueFixture()
      const trader = await fixture.trader('a')
      const answer = await trader.get(`/v1/volume/user/daily${query}`)
      expect(answer).toMatchObject({ status: 400, code: -1005 })
    },
  )
})
