import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader } from '../../fixture.ts'
import { signed } from '../../trading-wallet.ts'
import { brokenOf, consentsOf, holdingOf, passed } from './consents.ts'

const SCOPE = { scope: 'read,trading,asset' }
const list = (trader: Pick<Trader, 'accountId'>, amount: number, token = 'USDC') => ({
  token,
  receiver_list: [{ account_id: trader.accountId, amount }],
})
const history = async (trader: Trader, side: string, query = '') =>
  (await trader.get(`/v1/internal_transfer_history?side=${side}${query}`)).data.rows

describe('a transfer', () => {
  test('leaves one account at once and arrives in the other by the clock', async () => {
    using fixture = openVenueFixture()
    const a = await fixture.trader('a', SCOPE)
    const b = await fixture.trader('b', SCOPE)
    const { data } = await a.post('/v1/internal_transfer', list(b, 1234.5))
    expect(await holdingOf(a)).toMatchObject({ holding: 8765.5, frozen: 1234.5 })
    expect(await holdingOf(b)).toMatchObject({ holding: 10_000 })
    const [created] = await history(b, 'IN')
    expect(created.status).toBe('CREATED')
    expect(await a.post('/v1/internal_transfer', list(b, 1))).toMatchObject({ code: 34 })
    expect(passed(fixture, 2000)).toEqual([])
    expect(await holdingOf(a)).toMatchObject({ holding: 8765.5, frozen: 0 })
    expect(await holdingOf(b)).toMatchObject({ holding: 11_234.5 })
    const row = {
      internal_transfer_request_id: data.internal_transfer_request_id,
      token: 'USDC',
      amount: 1234.5,
      from_account_id: a.accountId,
      to_account_id: b.accountId,
      status: 'COMPLETED',
    }
    expect(await history(a, 'OUT')).toMatchObject([row])
    expect(await history(b, 'IN')).toMatchObject([row])
    expect(await history(a, 'IN')).toEqual([])
    expect(await history(b, 'IN', '&status=FAILED')).toEqual([])
    expect(await history(b, 'IN', `&from_account_id=${b.accountId}`)).toEqual([])
  })

  test('has up to fifty receivers, all or none', async () => {
    using fixture = openVenueFixture()
    const a = await fixture.trader('a', SCOPE)
    const b = await fixture.trader('b', SCOPE)
    const c = await fixture.trader('c', SCOPE)
    const receivers = [b, c].map(({ accountId }) => ({ account_id: accountId, amount: 6000 }))
    const both = { token: 'USDC', receiver_list: receivers }
    expect(await a.post('/v1/internal_transfer', both)).toMatchObject({ code: 20 })
    expect(await holdingOf(a)).toMatchObject({ holding: 10_000, frozen: 0 })
    const less = receivers.map((each) => ({ ...each, amount: 100 }))
    expect((await a.post('/v1/internal_transfer', { receiver_list: less })).status).toBe(200)
    passed(fixture, 2000)
    for (const each of [b, c]) expect(await holdingOf(each)).toMatchObject({ holding: 10_100 })
    const rows = await history(a, 'OUT')
    expect(rows).toHaveLength(2)
    expect(rows[0].internal_transfer_request_id).toBe(rows[1].internal_transfer_request_id)
  })

  test('with the wallet’s consent reaches any account, once', async () => {
    using fixture = openVenueFixture()
    const { transfer } = consentsOf(fixture)
    const a = await fixture.trader('a', SCOPE)
    const far = await fixture.trader('far', { ...SCOPE, brokerId: 'another' })
    expect(await a.post('/v1/internal_transfer', list(far, 1))).toMatchObject({ code: -1012 })
    const sent = await transfer(a, 'a', far.accountId, '250000000')
    expect(sent.data).toEqual({ internal_transfer_request_id: expect.any(Number) })
    passed(fixture, 2000)
    expect(await holdingOf(far)).toMatchObject({ holding: 10_250 })
    const again = { message: { transferNonce: 1 } }
    expect(await transfer(a, 'a', far.accountId, '250000000', again)).toMatchObject({ code: -1007 })
    const forged = { forged: { amount: '1' } }
    expect(await transfer(a, 'a', far.accountId, '2', forged)).toMatchObject({ code: 9 })
    expect(await transfer(a, 'a', far.accountId, '2', { wallet: 'x' })).toMatchObject({ code: 9 })
    expect(await transfer(a, 'a', a.accountId, '2')).toMatchObject({ code: 37 })
    expect(passed(fixture, 2000)).toEqual([])
    expect(await holdingOf(far)).toMatchObject({ holding: 10_250 })
    expect((await a.get('/v1/transfer_nonce')).data).toEqual({ transfer_nonce: 2 })
  })

  test('moves nothing when it is not good', async () => {
    using fixture = openVenueFixture()
    const a = await fixture.trader('a', SCOPE)
    const b = await fixture.trader('b', SCOPE)
    const reader = await fixture.trader('a', { scope: 'read,trading' })
    const nobody = { accountId: `0x${'5a'.repeat(32)}` }
    const refusals = [
      [await a.post('/v1/internal_transfer', list(nobody, 1)), 35],
      [await a.post('/v1/internal_transfer', list(a, 1)), 37],
      [await a.post('/v1/internal_transfer', list(b, 10_000.000001)), 20],
      [await a.post('/v1/internal_transfer', list(b, 1, 'ETH')), 20],
      [await a.post('/v1/internal_transfer', list(b, 0)), 5],
      [await a.post('/v1/internal_transfer', list(b, -1)), 5],
      [await a.post('/v1/internal_transfer', list(b, 0.0000001)), 5],
      [await a.post('/v1/internal_transfer', list(b, 1, 'NOPE')), -1005],
      [await a.post('/v1/internal_transfer', { receiver_list: [] }), -1005],
      [await reader.post('/v1/internal_transfer', list(b, 1)), -1002],
      [await reader.get('/v1/internal_transfer_history?side=IN'), -1002],
      [await a.get('/v1/internal_transfer_history'), -1005],
    ] as const
    for (const [answer, code] of refusals) expect(answer.code).toBe(code)
    for (const each of [a, b])
      expect(await holdingOf(each)).toMatchObject({ holding: 10_000, frozen: 0 })
    expect(await history(a, 'OUT')).toEqual([])
    expect(brokenOf(fixture)).toEqual([])
  })
})

describe('sub-accounts', () => {
  test('are the main account’s to open, fund and trade with, and nobody else’s', async () => {
    using fixture = openVenueFixture()
    const a = await fixture.trader('a', SCOPE)
    const b = await fixture.trader('b', SCOPE)
    expect((await a.get('/v1/client/sub_account')).data).toEqual({
      main_account_id: a.accountId,
      rows: [],
    })
    const added = await a.post('/v1/client/add_sub_account', { description: 'second' })
    const { sub_account_id } = added.data
    fixture.restart()
    expect((await a.get('/v1/client/sub_account')).data.rows).toEqual([
      { sub_account_id, description: 'second' },
    ])
    await a.post('/v1/client/update_sub_account', { sub_account_id, description: 'first' })
    expect((await a.get('/v1/client/sub_account')).data.rows[0].description).toBe('first')
    const theirs = { sub_account_id, description: 'mine' }
    expect(await b.post('/v1/client/update_sub_account', theirs)).toMatchObject({ code: -1607 })

    const sub = { accountId: String(sub_account_id) }
    expect(await b.post('/v1/internal_transfer', list(sub, 5))).toMatchObject({ code: 46 })
    await a.post('/v1/internal_transfer', list(sub, 4000))
    expect(passed(fixture, 2000)).toEqual([])
    const rows = (await a.get('/v1/client/aggregate/holding')).data.rows
    expect(rows).toMatchObject([
      { account_id: a.accountId, token: 'USDC', holding: 6000 },
      { account_id: sub.accountId, token: 'USDC', holding: 4000 },
    ])
    expect(await history(a, 'OUT', '&main_sub_only=true')).toHaveLength(1)
    expect(await history(a, 'OUT', '&main_sub_only=false')).toEqual([])

    const call = (who: Trader, method: string, path: string, body?: object) =>
      fixture.send(
        signed(
          { ...who, accountId: sub.accountId },
          {
            method,
            path,
            timestampMs: fixture.nowMs(),
            ...(body && { body: JSON.stringify(body) }),
          },
        ),
      )
    const order = {
      symbol: 'PERP_BTC_USDC',
      side: 'BUY',
      order_type: 'MARKET',
      order_quantity: 0.1,
    }
    expect((await call(a, 'POST', '/v1/order', order)).status).toBe(200)
    expect((await call(a, 'GET', '/v1/positions')).data.rows).toHaveLength(1)
    expect((await a.get('/v1/positions')).data.rows).toEqual([])
    expect(await call(b, 'GET', '/v1/positions')).toMatchObject({ code: -1002 })
    expect(await call(a, 'GET', '/v1/client/sub_account')).toMatchObject({ code: -1012 })
    const path = `/v1/get_all_accounts?address=${a.address}`
    const all = (await fixture.send({ method: 'GET', path, headers: {} })).data.rows
    expect(all.map(({ user_type }: { user_type: string }) => user_type)).toEqual(['MAIN', 'SUB'])
  })
})
