import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader, type VenueFixture } from '../../fixture.ts'
import { brokenOf, holdingOf, passed } from '../../rest/money/consents.ts'
import { ADMIN, bind, openProgram } from './fixture.ts'

const DAY_MS = 86_400_000
const dayOf = (fixture: VenueFixture) => new Date(fixture.nowMs()).toISOString().slice(0, 10)
const toMidnight = (fixture: VenueFixture) => DAY_MS - (fixture.nowMs() % DAY_MS)
const trade = (trader: Trader) => trader.order({ order_type: 'MARKET', order_price: null })
const feeOf = async (trader: Trader): Promise<number> =>
  (await trader.get('/v1/trades')).data.rows[0].fee
const read = async (trader: Trader, path: string) => (await trader.get(`/v1/referral/${path}`)).data

/** An affiliate with a rate of 0.2 who gives a quarter of it to those who join. */
async function openCode(fixture: VenueFixture) {
  const { operator, update } = await openProgram(fixture)
  const a = await fixture.trader('a')
  fixture.venue().affiliates.promote(a.accountId)
  const claimed = await a.post('/v1/referral/multi_level/claim_code', {})
  await update({ account_ids: [a.accountId], bonus_rebate_rate: 0.2 })
  return { operator, a, code: String(claimed.data.referral_code) }
}

describe('rebates', () => {
  test('are distributions of their receivers once they are paid', async () => {
    using fixture = openVenueFixture()
    const { a, code } = await openCode(fixture)
    await a.post('/v1/referral/multi_level/rebate_rate/update', { referee_rebate_rate: 0.05 })
    const b = await fixture.trader('b')
    await bind(b, code)
    await trade(b)
    const distributions = async (trader: Trader, query = '') =>
      (await trader.get(`/v1/client/distribution_history${query}`)).data
    expect(await distributions(a)).toMatchObject({ meta: { total: 0 }, rows: [] })
    const [row] = (await read(a, 'rebate_summary')).rows
    const paidMs = fixture.nowMs() + toMidnight(fixture)
    passed(fixture, toMidnight(fixture) + 1)
    const paid = { token: 'USDC', status: 'COMPLETED', created_time: paidMs, updated_time: paidMs }
    const [first] = (await distributions(a)).rows
    expect(first).toEqual({
      ...paid,
      id: first.id,
      type: 'REFERRAL_REBATE',
      amount: row.referral_rebate,
    })
    const [back] = (await read(b, 'referee_history')).rows
    expect((await distributions(b)).rows).toMatchObject([
      { ...paid, type: 'REFEREE_REBATE', amount: back.referee_rebate },
    ])
    expect(back.referee_rebate).toBeGreaterThan(0)
    expect((await distributions(a, '?type=REFERRER_REBATE&status=COMPLETED')).rows).toEqual([first])
    for (const query of ['?type=BROKER_FEE', '?status=CREATED', `?start_t=${paidMs + 1}`])
      expect((await distributions(a, query)).rows).toEqual([])
  })

  test('follow every trade, and are paid out of the fees at midnight', async () => {
    using fixture = openVenueFixture()
    const { operator, a, code } = await openCode(fixture)
    const b = await fixture.trader('b')
    await bind(b, code)
    const day = dayOf(fixture)
    await trade(b)
    const fee = await feeOf(b)
    const share = Math.floor(fee * 0.2 * 1e6) / 1e6
    const row = { volume: 6000.1, date: day, direct_bonus_rebate: 0, base_rebate: 0 }
    expect((await read(a, 'rebate_summary')).rows).toEqual([
      { ...row, traded_referral: 1, referral_rebate: share },
    ])
    expect((await read(a, 'referral_history')).rows).toEqual([
      {
        ...row,
        account_id: b.accountId,
        user_address: b.address,
        referral_code: code,
        referral_rebate: share,
      },
    ])
    expect((await read(b, 'referee_history')).rows).toEqual([
      { volume: 6000.1, referee_rebate: 0, date: day },
    ])
    expect(await read(a, 'multi_level/statistics?time_range=1d')).toMatchObject({
      direct_rebate: share,
      indirect_rebate: 0,
    })
    expect((await read(a, 'info')).referrer_info['1d_referrer_rebate']).toBe(share)
    expect((await read(a, 'referee_info')).rows).toMatchObject([{ referral_rebate: share }])
    const revenue = `/v1/broker/daily_fee_revenue?start_date=${day}&end_date=${day}`
    const [{ total_revenue }] = (await operator.get(revenue)).data.rows
    expect(total_revenue).toBeCloseTo(fee - share, 6)

    const { totals } = fixture.exchange().simulation().engine.world.exchange
    const fees = totals.fees
    expect((await holdingOf(a)).holding).toBe(10_000)
    expect(passed(fixture, toMidnight(fixture) + 1)).toEqual([])
    expect((await holdingOf(a)).holding).toBeCloseTo(10_000 + share, 6)
    expect(totals.fees).toBe(fees - Math.round(share * 1e6))
    fixture.warp(DAY_MS)
    expect((await holdingOf(a)).holding).toBeCloseTo(10_000 + share, 6)
    fixture.restart()
    expect((await read(a, 'rebate_summary')).rows).toMatchObject([{ referral_rebate: share }])
    expect(brokenOf(fixture)).toEqual([])
  })

  test('are shared with who joined, by the rate that the code gives', async () => {
    using fixture = openVenueFixture()
    const { a, code } = await openCode(fixture)
    const [b, c] = [await fixture.trader('b'), await fixture.trader('c')]
    for (const each of [b, c]) await bind(each, code)
    const path = '/v1/referral/multi_level/rebate_rate'
    const give = (fields: object) => a.post(`${path}/update`, fields)
    expect(await give({ bonus_referee_rebate_rate: 0.21 })).toMatchObject({ code: -1005 })
    const stranger = { account_ids: [a.accountId], bonus_referee_rebate_rate: 0.1 }
    expect(await give(stranger)).toMatchObject({ code: -1607 })
    expect((await give({ bonus_referee_rebate_rate: 0.05 })).status).toBe(200)
    const more = { account_ids: [c.accountId], bonus_referee_rebate_rate: 0.15 }
    expect((await give(more)).status).toBe(200)
    for (const each of [b, c]) await trade(each)
    const fee = await feeOf(b)
    const dates = `start_date=${dayOf(fixture)}&end_date=${dayOf(fixture)}`
    const own = async (trader: Trader) =>
      (await read(trader, `referee_rebate_summary?${dates}`)).rows[0].referee_rebate
    expect(await own(b)).toBeCloseTo(fee * 0.05, 5)
    expect(await own(c)).toBeCloseTo(fee * 0.15, 5)
    expect((await read(c, 'info')).referee_info['1d_referee_rebate']).toBe(await own(c))
    expect((await read(a, 'rebate_summary')).rows[0].referral_rebate).toBeCloseTo(fee * 0.2, 5)
    const list = (await read(a, 'multi_level/referee_list')).rows
    expect(list).toMatchObject([
      { is_default_rate: true, referee_rebate_rate: 0.05 },
      { is_default_rate: false, referee_rebate_rate: 0.15, referral_rebate_rate: 0.05 },
    ])
    await a.post(`${path}/set_default`, { account_ids: [c.accountId] })
    expect((await read(a, 'multi_level/referee_list')).rows[1].is_default_rate).toBe(true)
    expect(passed(fixture, toMidnight(fixture) + 1)).toEqual([])
    expect((await holdingOf(b)).holding).toBeCloseTo(10_000 + fee * 0.05, 5)
    expect(await b.get('/v1/referral/referee_rebate_summary')).toMatchObject({ code: -1005 })
    expect(await a.get('/v1/referral/rebate_summary?start_date=x')).toMatchObject({ code: -1005 })
    const before = '?start_date=2020-01-01&end_date=2020-01-02'
    expect((await read(a, `rebate_summary${before}`)).rows).toEqual([])
  })

  test('go on upwards by what the higher rate is more, and a new rate counts from then on', async () => {
    using fixture = openVenueFixture()
    const { operator, create, update } = await openProgram(fixture)
    const [a, b] = [await fixture.trader('a'), await fixture.trader('b')]
    for (const { accountId } of [a, b]) fixture.venue().affiliates.promote(accountId)
    await create({ account_id: a.accountId, referral_code: 'ALPHA', bonus_max_rebate_rate: 0.5 })
    await create({ account_id: b.accountId, referral_code: 'BETA', bonus_max_rebate_rate: 0.2 })
    await bind(b, 'ALPHA')
    const c = await fixture.trader('c')
    await bind(c, 'BETA')
    await trade(c)
    const fee = await feeOf(c)
    const statistics = (trader: Trader) =>
      read(trader, 'multi_level/statistics?time_range=all_time')
    const near = (value: number) => expect.closeTo(value, 5)
    expect(await statistics(a)).toMatchObject({
      direct_rebate: 0,
      indirect_rebate: near(fee * 0.3),
    })
    expect(await statistics(b)).toMatchObject({ direct_rebate: near(fee * 0.2) })
    await update({ account_ids: [b.accountId], bonus_rebate_rate: 0.5 })
    await trade(c)
    expect(await statistics(a)).toMatchObject({ indirect_rebate: near(fee * 0.3) })
    const all = (await statistics(b)).direct_rebate
    expect(all).toBeGreaterThan(fee * 0.69)
    expect((await operator.get(`${ADMIN}/info`)).data.rows[0].indirect_rebate).toBeGreaterThan(0)
    expect(brokenOf(fixture)).toEqual([])
  })

  test('do not exist where no account joined', async () => {
    using fixture = openVenueFixture()
    const { a } = await openCode(fixture)
    const stranger = await fixture.trader('stranger')
    await trade(stranger)
    expect(passed(fixture, toMidnight(fixture) + 1)).toEqual([])
    for (const path of ['rebate_summary', 'referral_history', 'referee_history'])
      expect((await read(a, path)).rows).toEqual([])
    expect((await holdingOf(a)).holding).toBe(10_000)
  })
})
