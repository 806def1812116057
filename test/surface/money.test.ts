// Slow: the embedded venue lives for more than eight hours.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { USUAL_KINDS } from '../target.ts'
import {
  type Answers,
  consentBy,
  type MoneyFixture,
  type Opened,
  openMoneyFixture,
  stamp,
} from './money-fixture.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DATES = 'start_date=2020-01-01&end_date=2099-12-31'

/** What of an account depends on its money, by path. */
const OWN = [
  '/v1/client/holding?all=true',
  '/v1/client/info',
  '/v1/positions',
  '/v1/asset/history',
  '/v1/pnl_settlement/history',
  '/v1/funding_fee/history',
  '/v1/internal_transfer_history?side=OUT',
  '/v1/withdraw_nonce',
  '/v1/settle_nonce',
  '/v1/notification/inbox/notifications',
  '/v1/notification/inbox/unread',
  '/v1/referral/referee_history',
  `/v1/referral/referee_rebate_summary?${DATES}`,
  '/v1/referral/info',
]

const OF_REFERRER = [
  '/v1/client/holding',
  '/v1/internal_transfer_history?side=IN',
  '/v1/referral/rebate_summary',
  '/v1/referral/referral_history',
  '/v1/referral/info',
  '/v1/referral/multi_level/statistics?time_range=all_time',
]

describe.each([...USUAL_KINDS])('money on the embedded venue, %s', (kind) => {
  let fixture: MoneyFixture
  let referrer: Opened
  let user: Opened
  let before: Answers

  beforeAll(async () => {
    // Shortly before funding, and a little more than eight hours before rebates are paid.
    fixture = await openMoneyFixture(kind, { VENUE_START: '2026-01-01T15:50:00Z' })
    referrer = await fixture.account()
    user = await fixture.account()
    await fixture.affiliate(referrer, 'MONEY1')
    before = await read()
  })
  afterAll(() => fixture.stop())

  async function read(): Promise<Answers> {
    const asked = [
      ...OWN.map((path) => ({ who: user, path, name: path })),
      ...OF_REFERRER.map((path) => ({ who: referrer, path, name: `referrer ${path}` })),
    ]
    const entries = asked.map(async ({ who, path, name }) => [
      name,
      await fixture.call(who, 'GET', path),
    ])
    return Object.fromEntries(await Promise.all(entries))
  }

  const first = async (path: string, who = user): Promise<Answers> => {
    const { rows } = (await fixture.call(who, 'GET', path)) as { rows: readonly Answers[] }
    return Object(rows[0])
  }
  const withdrawal = (amount: string, more = {}) => ({
    ...stamp(),
    ...{ receiver: user.wallet.address, token: 'USDC', amount, withdrawNonce: 1 },
    ...more,
  })
  const held = async (who: Opened): Promise<number> => (await fixture.holding(who))['holding']

  test('what nobody consented to moves nothing', async () => {
    const other = referrer.wallet.secret
    const good = consentBy(user, 'Withdraw', withdrawal('100000000'))
    const settling = { ...stamp(), settleNonce: 1 }
    const wrong = [
      ['/v1/withdraw_request', consentBy(user, 'Withdraw', withdrawal('100000000'), other)],
      ['/v1/withdraw_request', { ...good, message: { ...good.message, amount: '200000000' } }],
      ['/v1/settle_pnl', consentBy(user, 'SettlePnl', settling, other)],
    ] as const
    for (const [path, body] of wrong)
      expect(await fixture.refusal(user, path, body)).toBe('invalid_signature')
    const tooMuch = consentBy(user, 'Withdraw', withdrawal('99000000000'))
    expect(await fixture.refusal(user, '/v1/withdraw_request', tooMuch)).toBe('venue_rejected')
    const otherChain = consentBy(user, 'Withdraw', withdrawal('100000000', { chainId: 1337 }))
    expect(await fixture.refusal(user, '/v1/withdraw_request', otherChain)).toBe(
      'invalid_signature',
    )
    expect(await fixture.holding(user)).toMatchObject({ holding: 10_000, frozen: 0 })
    expect(await fixture.call(user, 'GET', '/v1/asset/history')).toMatchObject({
      meta: { total: 1 },
    })
  })

  test('deposit, trade, funding, settle, withdraw, transfer, rebate: every answer moves with them', async () => {
    await fixture.call(user, 'POST', '/v1/referral/bind', { referral_code: 'MONEY1' })
    await fixture.fund(user, 'token=ETH&amount=0.5')
    expect(await fixture.holding(user, 'ETH')).toMatchObject({ holding: 0.5 })
    await fixture.call(user, 'POST', '/v1/order', {
      ...{ symbol: 'PERP_BTC_USDC', side: 'BUY', order_type: 'MARKET', order_quantity: 0.05 },
    })
    await fixture.advance(20 * MINUTE_MS)
    expect(await first('/v1/funding_fee/history')).toMatchObject({ status: 'Accrued' })

    const settling = consentBy(user, 'SettlePnl', { ...stamp(), settleNonce: 1 })
    await fixture.call(user, 'POST', '/v1/settle_pnl', settling)
    await fixture.advance(60_000)
    const settled = await first('/v1/pnl_settlement/history')
    expect(settled['new_balance'] - settled['old_balance']).toBeCloseTo(settled['settled_amount'])
    expect(await first('/v1/funding_fee/history')).toMatchObject({ status: 'Settled' })

    const body = consentBy(user, 'Withdraw', withdrawal('1000000000'))
    const { withdraw_id } = await fixture.call(user, 'POST', '/v1/withdraw_request', body)
    await fixture.advance(60_000)
    expect(await first('/v1/asset/history?side=WITHDRAW')).toMatchObject({
      ...{ id: String(withdraw_id), trans_status: 'COMPLETED', amount: 1000, fee: 1 },
    })
    expect(await fixture.refusal(user, '/v1/withdraw_request', body)).toBe('duplicate_request')

    const had = await held(referrer)
    await fixture.call(user, 'POST', '/v1/internal_transfer', {
      receiver_list: [{ account_id: referrer.accountId, amount: 50 }],
    })
    await fixture.advance(60_000)
    expect(await held(referrer)).toBe(had + 50)

    const { fee } = await first('/v1/trades')
    const { volume } = await first('/v1/referral/referee_history')
    await fixture.advance(8 * HOUR_MS)
    const paid = (await held(referrer)) - had - 50
    expect(paid).toBeGreaterThan(0)
    expect(await first('/v1/referral/rebate_summary', referrer)).toMatchObject({ volume })

    const after = await read()
    const same = Object.keys(after).filter((path) => Bun.deepEquals(after[path], before[path]))
    expect(same).toEqual([])
    const points = await fixture.get('/api/prep/points', { address: user.wallet.address })
    expect(points).toMatchObject({ enabled: true, merits: { rows: [{}] } })
    expect(points['merits'].total_points).toBeGreaterThan(0)
    const dates = { start_date: '2025-12-31', end_date: '2026-06-01' }
    const revenue = await fixture.get('/api/prep/op/builder.dailyRevenue', dates)
    expect(revenue['rows'][0].total_revenue).toBeLessThan(fee)
  })

  test('all of it is found again', async () => {
    const known = await read()
    await fixture.restart()
    expect(await read()).toEqual(known)
  })
})
