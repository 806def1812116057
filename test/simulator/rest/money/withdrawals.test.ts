import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader } from '../../fixture.ts'
import { BTC } from '../../past/small-feed.ts'
import { brokenOf, consentsOf, holdingOf, passed } from './consents.ts'

const history = async (trader: Trader, query = '') =>
  (await trader.get(`/v1/asset/history${query}`)).data.rows

describe('a withdrawal', () => {
  test('leaves the account at once and goes its way by the clock of the venue', async () => {
    using fixture = openVenueFixture()
    const { withdraw } = consentsOf(fixture)
    const a = await fixture.trader('a')
    const [deposit] = await history(a)
    expect(deposit).toMatchObject({ side: 'DEPOSIT', amount: 10_000, trans_status: 'COMPLETED' })
    const askedAtMs = fixture.nowMs()
    const asked = await withdraw(a, 'a', '2500000000')
    expect(asked.data).toEqual({ withdraw_id: expect.any(Number) })
    expect(await holdingOf(a)).toMatchObject({ holding: 7500, frozen: 2500 })
    const seen: unknown[] = []
    for (const ms of [0, 2000, 3000, 25_000]) {
      expect(passed(fixture, ms)).toEqual([])
      const [{ trans_status, updated_time }] = await history(a, '?side=WITHDRAW')
      seen.push([trans_status, updated_time - askedAtMs])
    }
    expect(seen).toEqual([
      ['NEW', 0],
      ['CONFIRM', 2000],
      ['PROCESSING', 5000],
      ['COMPLETED', 30_000],
    ])
    expect(await holdingOf(a)).toMatchObject({ holding: 7500, frozen: 0 })
    const [row] = await history(a)
    expect(row).toMatchObject({
      id: String(asked.data.withdraw_id),
      side: 'WITHDRAW',
      token: 'USDC',
      amount: 2500,
      fee: 1,
      chain_id: '42161',
      created_time: askedAtMs,
    })
    expect(row.tx_id).toMatch(/^0x[0-9a-f]{64}$/)
    expect(row.tx_id).not.toBe(deposit.tx_id)
    expect(await history(a, '?status=COMPLETED')).toHaveLength(2)
    expect(await history(a, '?status=NEW')).toEqual([])
    expect((await a.get('/v1/withdraw_nonce')).data).toEqual({ withdraw_nonce: 2 })
  })

  test('goes one at a time, and is found again after a restart', async () => {
    using fixture = openVenueFixture()
    const { withdraw } = consentsOf(fixture)
    const a = await fixture.trader('a', { scope: 'read,trading,asset' })
    const b = await fixture.trader('b')
    await withdraw(a, 'a', '1000000000')
    fixture.restart()
    expect(await withdraw(a, 'a', '1000000000')).toMatchObject({ status: 400, code: 17 })
    const receiver_list = [{ account_id: b.accountId, amount: 1 }]
    const transfer = { token: 'USDC', receiver_list }
    expect(await a.post('/v1/internal_transfer', transfer)).toMatchObject({ code: 17 })
    expect(passed(fixture, 30_000)).toEqual([])
    expect(await holdingOf(a)).toMatchObject({ holding: 9000, frozen: 0 })
    expect((await withdraw(a, 'a', '1000000000')).status).toBe(200)
  })

  test('is refused for more than the margin leaves, and gains that are not settled stay', async () => {
    using fixture = openVenueFixture()
    const { withdraw, settle } = consentsOf(fixture)
    const a = await fixture.trader('a')
    await a.order({ order_type: 'MARKET', order_price: null, order_quantity: 0.5 })
    fixture.move(BTC, 61_000)
    const { free_collateral } = (await a.get('/v1/positions')).data
    const unsettled = (await a.get('/v1/position/PERP_BTC_USDC')).data.unsettled_pnl
    const most = Math.floor((free_collateral - unsettled) * 1e6)
    expect(await withdraw(a, 'a', String(most + 10))).toMatchObject({ status: 400, code: 20 })
    expect(await holdingOf(a)).toMatchObject({ holding: 10_000, frozen: 0 })
    await settle(a, 'a')
    passed(fixture, 5000)
    expect((await withdraw(a, 'a', String(most + 10))).status).toBe(200)
    expect(brokenOf(fixture)).toEqual([])
    const all = (await a.get('/v1/positions')).data
    expect(all.margin_ratio).toBeGreaterThan(all.maintenance_margin_ratio)
  })

  test('waits for the other vaults when its chain has less, and is refused when it may not', async () => {
    using fixture = openVenueFixture()
    const { withdraw } = consentsOf(fixture)
    const a = await fixture.trader('a')
    const vault = async () =>
      (
        await fixture.send({
          method: 'GET',
          path: '/v1/public/vault_balance?chain_id=43114&token=USDC',
          headers: {},
        })
      ).data
    const house = fixture.exchange().simulation().engine.world.exchange.byKey.get('house')
    if (!house) throw new RangeError('no house')
    const { engine } = fixture.exchange().simulation()
    const amount = 20_000_000_000 - house.holding
    engine.submit('deposit', { account: house.number, amount }, fixture.nowMs())
    expect((await vault()).rows).toMatchObject([{ token: 'USDC', balance: 1500 }])
    const chain = { message: { chainId: 43_114 } }
    expect(await withdraw(a, 'a', '5000000000', chain)).toMatchObject({ status: 400, code: 28 })
    const allowed = { ...chain, forged: { allowCrossChainWithdraw: true } }
    expect((await withdraw(a, 'a', '5000000000', allowed)).status).toBe(200)
    passed(fixture, 6000)
    expect(await history(a, '?side=WITHDRAW')).toMatchObject([
      { trans_status: 'PENDING_REBALANCE' },
    ])
    expect(passed(fixture, 90_000)).toEqual([])
    expect(await history(a, '?side=WITHDRAW')).toMatchObject([{ trans_status: 'COMPLETED' }])
  })

  test('moves nothing when the consent or the request is not good', async () => {
    using fixture = openVenueFixture()
    const { withdraw } = consentsOf(fixture)
    const a = await fixture.trader('a')
    const reader = await fixture.trader('a', { scope: 'read' })
    const ok = '100000000'
    const signing = (message: object) => ({ message: { ...message } })
    const refusals = [
      [await withdraw(a, 'a', ok, { wallet: 'b' }), 9],
      [await withdraw(a, 'a', ok, { forged: { amount: '200000000' } }), 9],
      [await withdraw(a, 'a', ok, { forged: { chainId: 10 } }), 9],
      [await withdraw(a, 'a', ok, { body: { userAddress: `0x${'5a'.repeat(20)}` } }), 9],
      [await withdraw(a, 'a', ok, { body: { signature: 'x' } }), 3],
      [await withdraw(a, 'a', ok, signing({ timestamp: fixture.nowMs() - 301_000 })), 2],
      [await withdraw(a, 'a', ok, signing({ brokerId: 'another' })), 15],
      [await withdraw(a, 'a', ok, signing({ chainId: 421_614 })), 28],
      [await withdraw(a, 'a', ok, signing({ chainId: 56 })), 28],
      [await withdraw(a, 'a', ok, { body: { verifyingContract: a.address } }), 29],
      [await withdraw(a, 'a', '0'), 5],
      [await withdraw(a, 'a', '1000000'), 5],
      [await withdraw(a, 'a', '10000000001'), 20],
      [await withdraw(a, 'a', ok, signing({ token: 'DOGE' })), -1005],
      [await withdraw(a, 'a', ok, signing({ withdrawNonce: 2 })), -1005],
      [await withdraw(a, 'a', ok, { body: { message: null } }), -1005],
      [await withdraw(reader, 'a', ok), -1002],
    ] as const
    for (const [answer, code] of refusals) expect(answer.code).toBe(code)
    expect(await holdingOf(a)).toMatchObject({ holding: 10_000, frozen: 0 })
    expect(await history(a, '?side=WITHDRAW')).toEqual([])
    expect((await a.get('/v1/withdraw_nonce')).data).toEqual({ withdraw_nonce: 1 })
    expect(brokenOf(fixture)).toEqual([])
  })

  test('spends its nonce, so that it cannot be sent twice', async () => {
    using fixture = openVenueFixture()
    const { withdraw } = consentsOf(fixture)
    const a = await fixture.trader('a')
    await withdraw(a, 'a', '100000000')
    passed(fixture, 60_000)
    const again = await withdraw(a, 'a', '100000000', { message: { withdrawNonce: 1 } })
    expect(again).toMatchObject({ status: 409, code: -1007 })
    expect(await holdingOf(a)).toMatchObject({ holding: 9900, frozen: 0 })
  })
})

describe('other tokens', () => {
  test('are held, back positions at their weight, and leave again', async () => {
    using fixture = openVenueFixture()
    const { withdraw } = consentsOf(fixture)
    const a = await fixture.trader('a')
    const tokens = async (query = '') =>
      (await a.get(`/v1/client/holding${query}`)).data.holding.map(
        ({ token, holding }: Record<string, unknown>) => [token, holding],
      )
    expect(await tokens()).toEqual([['USDC', 10_000]])
    expect(await tokens('?all=true')).toEqual([
      ['USDC', 10_000],
      ['USDT', 0],
      ['ETH', 0],
    ])
    const { practice } = fixture.venue()
    practice.fund(a.accountId, 1000_00000000n, 'USDT')
    practice.fund(a.accountId, 2_00000000n, 'ETH')
    expect(await tokens()).toEqual([
      ['USDC', 10_000],
      ['USDT', 1000],
      ['ETH', 2],
    ])
    const info = (await a.get('/v1/client/info')).data
    expect(info.total_collateral_value).toBeCloseTo(10_000 + 950 + 2 * 3000 * 0.9, 4)
    expect(await history(a, '?token=ETH')).toMatchObject([
      { side: 'DEPOSIT', amount: 2, fee: 0, trans_status: 'COMPLETED' },
    ])
    fixture.move('PERP_ETH_USDC', 4000)
    expect((await a.get('/v1/client/info')).data.total_collateral_value).toBeCloseTo(18_150, 4)

    const half = { message: { token: 'ETH' } }
    expect(await withdraw(a, 'a', '10000000001', half)).toMatchObject({ code: 5 })
    const big = { ...half, forged: { allowCrossChainWithdraw: true } }
    expect(await withdraw(a, 'a', '2000000000000000001', big)).toMatchObject({ code: 5 })
    expect(await withdraw(a, 'a', '2000000010000000000', big)).toMatchObject({ code: 20 })
    expect((await withdraw(a, 'a', '500000000000000000', big)).status).toBe(200)
    expect(await holdingOf(a, 'ETH')).toMatchObject({ holding: 1.5, frozen: 0.5 })
    expect(passed(fixture, 120_000)).toEqual([])
    expect(await history(a, '?side=WITHDRAW')).toMatchObject([
      { token: 'ETH', amount: 0.5, fee: 0.0004, trans_status: 'COMPLETED' },
    ])
    fixture.restart()
    expect(await holdingOf(a, 'ETH')).toMatchObject({ holding: 1.5, frozen: 0 })
    expect(brokenOf(fixture)).toEqual([])
  })

  test('stay while a position stands on them', async () => {
    using fixture = openVenueFixture({ faucet: 100_000_000n })
    const { withdraw } = consentsOf(fixture)
    const a = await fixture.trader('a')
    fixture.venue().practice.fund(a.accountId, 1_00000000n, 'ETH')
    await a.order({ order_type: 'MARKET', order_price: null, order_quantity: 0.3 })
    const message = { message: { token: 'ETH' }, forged: { allowCrossChainWithdraw: true } }
    const answer = await withdraw(a, 'a', '900000000000000000', message)
    expect(answer).toMatchObject({ status: 400, code: 20 })
    expect(await holdingOf(a, 'ETH')).toMatchObject({ holding: 1, frozen: 0 })
    expect(brokenOf(fixture)).toEqual([])
  })
})
