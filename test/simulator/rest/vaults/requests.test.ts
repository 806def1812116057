import { describe, expect, test } from 'bun:test'
import { toWalletAddress } from '../../../../src/core/crypto/wallet-signature.ts'
import { checkExchange } from '../../../../src/simulator/engine/check.ts'
import { checkVaults } from '../../../../src/simulator/vaults/requests.ts'
import { worldVaults } from '../../../../src/simulator/vaults/vault.ts'
import { openVenueFixture } from '../../fixture.ts'
import { publicGet, secretOf, type VaultAsking, vaultRequest } from '../../trading-wallet.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const BASE = '/v1/public/strategy_vault'
const HISTORY = '/v1/account_sv_transaction_history'

/** A quiet venue, a trader with 10,000 USDC, and the requests of its wallet. */
async function open() {
  const fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  const world = () => fixture.exchange().simulation().engine.world
  const vaultId = worldVaults(world())[0]?.id ?? ''
  const wallet = secretOf('wallet a')
  const query = `vault_id=${vaultId}&wallet_address=${toWalletAddress(wallet)}`
  const read = async (path: string, more = '') =>
    (await fixture.send(publicGet(`${BASE}/${path}?${query}${more}`))).data
  const nonce = async () =>
    String((await fixture.send(publicGet('/v1/public/sv_nonce'))).data.nonce)

  async function ask(asking: Partial<VaultAsking>, message: object = {}, signer = wallet) {
    const wanted = { payloadType: 0, vaultId, amount: 1_000_000_000, nonce: await nonce() }
    return await fixture.send(vaultRequest(signer, { ...wanted, ...asking }, message))
  }

  /** To just after the end of the period. */
  function endPeriod(): void {
    const leftMs = DAY_MS - (fixture.nowMs() % DAY_MS)
    fixture.warp(leftMs)
    fixture.advance()
  }

  function sound(): void {
    fixture.advance()
    expect([...checkExchange(world().exchange), ...checkVaults(world())]).toEqual([])
  }
  const holding = async () => (await trader.get('/v1/client/holding')).data.holding[0].holding
  return { fixture, trader, world, vaultId, read, nonce, ask, endPeriod, sound, holding, wallet }
}

describe('a deposit from an account', () => {
  test('leaves the balance at once, is traded with and locked when the period ends, and comes back', async () => {
    const { fixture, trader, read, ask, endPeriod, sound, holding } = await open()
    using _ = fixture
    const fund = await read('fund/info')
    const before = await read('fund/pending_transactions')
    expect((await ask({})).body).toMatchObject({ success: true })
    expect(await holding()).toBe(9000)
    const pending = await read('fund/pending_transactions')
    const lpBefore = before.lp_pending_deposit_amount
    expect(pending.lp_pending_deposit_amount - lpBefore).toBeCloseTo(1000, 5)
    expect((await read('fund/info')).fund_nav).toBeCloseTo(fund.fund_nav, 5)
    const [waiting] = (await read('lp/transaction_history')).rows
    expect(waiting).toMatchObject({
      ...{ type: 'deposit', status: 'pending', source: 'demo', txn_hash: null },
      ...{ amount_change: 1000, shares_change: null, unlock_time: null },
      est_assign_period_time: fund.period_end_time,
    })
    expect((await trader.get(HISTORY)).data.rows).toEqual([
      expect.objectContaining({ status: 'pending', amount_change: 1000, shares_change: null }),
    ])
    expect((await read('lp/info')).rows[0]).toMatchObject({ lp_nav: 0, lp_tvl: 1000 })
    sound()

    endPeriod()
    sound()
    const [stake] = (await read('lp/info')).rows
    expect(stake.lp_nav).toBeCloseTo(1000, 2)
    expect(stake.available_main_shares).toBe(0)
    const [locked] = (await read('lp/transaction_history')).rows
    expect(locked).toMatchObject({ status: 'locked', shares_change: stake.total_main_shares })
    const all = Math.round(stake.total_main_shares * 1e6)
    expect(await ask({ payloadType: 1, amount: all })).toMatchObject({ status: 400, code: -1012 })

    fixture.warp(48 * HOUR_MS)
    fixture.advance()
    expect((await read('lp/transaction_history')).rows[0].status).toBe('available')
    expect(await ask({ payloadType: 1, amount: all })).toMatchObject({ status: 200 })
    expect(await ask({ payloadType: 1, amount: 10_000_000 })).toMatchObject({ code: -1012 })
    expect(await holding()).toBe(9000)
    fixture.restart()
    endPeriod()
    sound()
    const paid = (await read('lp/transaction_history')).rows[0]
    expect(paid).toMatchObject({ type: 'withdrawal', status: 'claimed', source: 'demo' })
    expect(await holding()).toBeCloseTo(9000 + paid.amount_change, 5)
    const [done] = (await trader.get(`${HISTORY}?type=withdrawal`)).data.rows
    expect(done).toMatchObject({ status: 'completed', amount_change: paid.amount_change })
    expect(await read('lp/claim_info', '&chain_id=421614')).toEqual({ claimable_amount: 0 })
    expect((await read('lp/info')).rows[0]).toMatchObject({ lp_nav: 0, total_main_shares: 0 })
    const [totals] = (await read('user/overall_info')).rows
    expect(totals.vaults_lp_lifetime_net_pnl).toBeCloseTo(paid.amount_change - 1000, 5)
  })

  test('takes no more than the account can spare, and no less than the vault wants', async () => {
    const { fixture, ask, holding, world } = await open()
    using _ = fixture
    expect(await ask({ amount: 10_000_000_001 })).toMatchObject({ status: 400, code: -1101 })
    expect(await ask({ amount: 9_999_999 })).toMatchObject({ status: 400, code: -1005 })
    expect(await holding()).toBe(10_000)
    expect(world().vaultRequests).toEqual([])
  })
})

describe('a request to a vault', () => {
  test('is its own wallet’s, with a nonce that is fresh and spent once', async () => {
    const { fixture, trader, ask, nonce, holding, wallet, vaultId, world } = await open()
    using _ = fixture
    const old = await nonce()
    fixture.warp(2 * HOUR_MS)
    const refused: [Awaited<ReturnType<typeof ask>>, number][] = [
      [await ask({ nonce: old }), -1005],
      [await ask({}, { nonce: 'soon' }), -1005],
      [await ask({}, { amount: '5000000000' }), 9],
      [await ask({}, {}, secretOf('wallet b')), -1607],
      [await ask({ dexBrokerId: 'other' }), -1607],
      [await ask({ vaultId: `0x${'1'.repeat(64)}` }), -1006],
      [await ask({}, { vaultId: 'none' }), -1005],
      [await ask({ payloadType: 2 }), -1012],
      [await ask({ payloadType: 4 }), -1005],
      [await ask({ token: 'USDT' }), -1005],
      [await ask({ receiver: `0x${'9'.repeat(40)}` }), -1005],
      [await ask({}, { chainType: 'SOL' }), -1005],
      [await ask({ payloadType: 1 }), -1012],
    ]
    for (const [{ code }, expected] of refused) expect(code).toBe(expected)
    expect(await holding()).toBe(10_000)
    expect(world().vaultRequests).toEqual([])

    const spent = await nonce()
    const asking = { payloadType: 0, vaultId, amount: 20_000_000, nonce: spent }
    expect(await fixture.send(vaultRequest(wallet, asking))).toMatchObject({ status: 200 })
    expect(await fixture.send(vaultRequest(wallet, asking))).toMatchObject({
      status: 409,
      code: -1007,
    })
    fixture.restart()
    expect(await fixture.send(vaultRequest(wallet, asking))).toMatchObject({
      status: 409,
      code: -1007,
    })
    expect(await nonce()).not.toBe(spent)
    expect((await trader.get('/v1/client/holding')).data.holding[0].holding).toBe(9980)
  })

  test('is in the history of its own account alone', async () => {
    const { fixture, trader, ask } = await open()
    using _ = fixture
    const other = await fixture.trader('b')
    await ask({})
    expect((await trader.get(HISTORY)).data.meta.total).toBe(1)
    expect((await other.get(HISTORY)).data).toMatchObject({ meta: { total: 0 }, rows: [] })
    expect((await fixture.send(publicGet(HISTORY))).status).not.toBe(200)
  })
})
