import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader } from '../fixture.ts'
import { bind, claim, openProgram } from '../programs/affiliates/fixture.ts'
import { publicGet } from '../trading-wallet.ts'

const DAY_MS = 86_400_000

describe('joining', () => {
  test('is for good, and visible to both sides', async () => {
    using fixture = openVenueFixture()
    const { affiliate } = await openProgram(fixture)
    const a = await affiliate('a', 'ALPHA')
    const b = await fixture.trader('b')
    const check = async ({ accountId }: Trader) =>
      (await fixture.send(publicGet(`/v1/public/referral/check_ref_code?account_id=${accountId}`)))
        .data
    expect(await check(b)).toEqual({ referral_code: '' })
    expect((await bind(b, 'ALPHA')).body).toEqual({ success: true, timestamp: fixture.nowMs() })
    expect(await bind(b, 'ALPHA')).toMatchObject({ status: 409, code: -1007 })
    fixture.restart()
    expect(await check(b)).toEqual({ referral_code: 'ALPHA' })
    expect((await b.get('/v1/referral/info')).data.referee_info.referer_code).toBe('ALPHA')
    const referee = { account_id: b.accountId, code_binding_time: fixture.nowMs() }
    expect((await a.get('/v1/referral/referee_info')).data.rows).toMatchObject([
      { ...referee, user_address: b.address, trade_status: 'Registered', volume: 0 },
    ])
    expect((await a.get('/v1/referral/multi_level/referee_list')).data.rows).toMatchObject([
      { ...referee, address: b.address, bind_code: 'ALPHA', referral_rebate_rate: 0.2 },
    ])
  })

  test('is refused with one’s own code, a code from below, no code, and after a trade', async () => {
    using fixture = openVenueFixture()
    const { affiliate } = await openProgram(fixture)
    const a = await affiliate('a', 'ALPHA')
    const b = await affiliate('b', 'BETA')
    await bind(b, 'ALPHA')
    const late = await fixture.trader('late')
    await late.order({ order_type: 'MARKET', order_price: null })
    const foreign = await fixture.trader('foreign', { brokerId: 'another' })
    expect(await bind(a, 'ALPHA')).toMatchObject({ status: 400, code: -1005 })
    expect(await bind(a, 'BETA')).toMatchObject({ status: 400, code: -1005 })
    expect(await bind(a, 'GAMMA')).toMatchObject({ status: 400, code: -1006 })
    expect(await bind(foreign, 'ALPHA')).toMatchObject({ status: 400, code: -1006 })
    expect(await bind(late, 'ALPHA')).toMatchObject({ status: 400, code: -1012 })
    const { data } = await a.get('/v1/referral/multi_level/statistics?time_range=all_time')
    expect(data).toMatchObject({ direct_invites: 1, indirect_invites: 0 })
  })

  test('counts directly and indirectly, by period', async () => {
    using fixture = openVenueFixture()
    const { affiliate } = await openProgram(fixture)
    const a = await affiliate('a', 'ALPHA')
    const b = await affiliate('b', 'BETA')
    const c = await fixture.trader('c')
    await bind(b, 'ALPHA')
    fixture.sleep(2 * 3_600_000)
    await bind(c, 'BETA')
    await c.order({ order_type: 'MARKET', order_price: null })
    fixture.warp(3 * DAY_MS)
    const figures = async (range: string) =>
      (await a.get(`/v1/referral/multi_level/statistics?time_range=${range}`)).data
    expect(await figures('7d')).toEqual({
      direct_invites: 1,
      indirect_invites: 1,
      direct_traded: 0,
      indirect_traded: 1,
      direct_volume: 0,
      indirect_volume: 6000.1,
      direct_rebate: 0,
      direct_bonus_rebate: 0,
      base_rebate: 0,
      indirect_rebate: 0,
    })
    expect(await figures('1d')).toMatchObject({ direct_invites: 0, indirect_volume: 0 })
    expect((await a.get('/v1/referral/info')).data.referrer_info).toMatchObject({
      '1d_invites': 0,
      total_invites: 2,
      '30d_referee_volume': 6000.1,
      referral_codes: [{ code: 'ALPHA', total_invites: 2, total_traded: 1 }],
    })
    expect(await a.get('/v1/referral/multi_level/statistics?time_range=2d')).toMatchObject({
      status: 400,
      code: -1005,
    })
  })
})

test.each([
  'rebate_summary',
  'referral_history',
  'referee_history',
  'referee_rebate_summary?start_date=2025-01-01&end_date=2025-01-02',
])('%s is empty: the embedded venue pays no rebates', async (path) => {
  using fixture = openVenueFixture()
  const a = await fixture.trader('a')
  expect((await a.get(`/v1/referral/${path}`)).data.rows).toEqual([])
})

test('a key that may only read cannot join or claim', async () => {
  using fixture = openVenueFixture()
  const { affiliate } = await openProgram(fixture)
  await affiliate('a', 'ALPHA')
  const reader = await fixture.trader('reader', { scope: 'read' })
  fixture.venue().affiliates.promote(reader.accountId)
  for (const answer of [await bind(reader, 'ALPHA'), await claim(reader)])
    expect(answer).toMatchObject({ status: 401, code: -1002 })
  expect((await reader.get('/v1/referral/multi_level/max_rebate_rate')).data).toEqual({
    max_rebate_rate: 0,
    bonus_max_rebate_rate: 0,
    base_rebate_rate: 0,
  })
})
