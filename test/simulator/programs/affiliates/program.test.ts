import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader } from '../../fixture.ts'
import { ADMIN, bind, claim, openProgram, rename } from './fixture.ts'

describe('the operator', () => {
  test('gives a promoted account its code and rate, and finds them after a restart', async () => {
    using fixture = openVenueFixture()
    const { create, info, exist } = await openProgram(fixture)
    const a = await fixture.trader('a')
    expect(fixture.venue().affiliates.promote(a.accountId)).toBe('promoted')
    expect(fixture.venue().affiliates.promote(a.accountId)).toBe('already')
    expect(await info()).toEqual([])
    const body = { account_id: a.accountId, referral_code: 'ALPHA', bonus_max_rebate_rate: 0.15 }
    expect((await create(body)).body).toEqual({ success: true, timestamp: fixture.nowMs() })
    fixture.restart()
    const again = await openProgram(fixture)
    expect(await again.info(`?account_id=${a.accountId}`)).toMatchObject([
      {
        account_id: a.accountId,
        user_address: a.address,
        referral_code: 'ALPHA',
        max_rebate_rate: 0.15,
        bonus_max_rebate_rate: 0.15,
        direct_invites: 0,
      },
    ])
    expect(await exist('ALPHA')).toBe('true')
    expect(await exist('BETA')).toBe('false')
    expect(fixture.venue().affiliates.promote(a.accountId)).toBe('already')
  })

  test('promotes no account that does not exist', () => {
    using fixture = openVenueFixture()
    expect(fixture.venue().affiliates.promote(`0x${'0'.repeat(64)}`)).toBe('no_account')
  })

  test('is the only one to use its part of the program', async () => {
    using fixture = openVenueFixture()
    const { info } = await openProgram(fixture)
    const a = await fixture.trader('a')
    fixture.venue().affiliates.promote(a.accountId)
    const body = { account_id: a.accountId, referral_code: 'ALPHA', bonus_max_rebate_rate: 1 }
    for (const answer of [
      await a.get(`${ADMIN}/info`),
      await a.post(`${ADMIN}/create/affiliate`, body),
      await a.post(`${ADMIN}/update/affiliate`, {
        account_ids: [a.accountId],
        bonus_rebate_rate: 1,
      }),
    ])
      expect(answer).toMatchObject({ status: 401, code: -1002 })
    expect(await info()).toEqual([])
  })

  const codes: { name: string; fields: object; status: number; code: number }[] = [
    {
      name: 'an account that is not promoted',
      fields: { account_id: 'plain' },
      status: 400,
      code: -1005,
    },
    {
      name: 'an account of another broker',
      fields: { account_id: 'foreign' },
      status: 400,
      code: -1607,
    },
    { name: 'no account', fields: { account_id: '0x1' }, status: 400, code: -1607 },
    { name: 'a taken code', fields: { referral_code: 'ALPHA' }, status: 409, code: -1007 },
    { name: 'a second code', fields: { account_id: 'alpha' }, status: 409, code: -1007 },
    { name: 'a malformed code', fields: { referral_code: 'no' }, status: 400, code: -1005 },
    { name: 'no rate', fields: { bonus_max_rebate_rate: null }, status: 400, code: -1005 },
    { name: 'a rate above one', fields: { bonus_max_rebate_rate: 1.1 }, status: 400, code: -1005 },
  ]
  test.each(codes)(
    'is refused $name ($code), and no code comes to be',
    async ({ fields, status, code }) => {
      using fixture = openVenueFixture()
      const { create, info, affiliate } = await openProgram(fixture)
      const accounts: Record<string, Trader> = {
        alpha: await affiliate('alpha', 'ALPHA'),
        beta: await fixture.trader('beta'),
        plain: await fixture.trader('plain'),
        foreign: await fixture.trader('foreign', { brokerId: 'another' }),
      }
      for (const name of ['beta', 'foreign'])
        fixture.venue().affiliates.promote(accounts[name]?.accountId ?? '')
      const body = {
        account_id: 'beta',
        referral_code: 'BETA',
        bonus_max_rebate_rate: 0.1,
        ...fields,
      }
      const accountId = accounts[body.account_id]?.accountId ?? body.account_id
      expect(await create({ ...body, account_id: accountId })).toMatchObject({ status, code })
      expect(await info()).toHaveLength(1)
    },
  )

  test('sets the rate of first-level affiliates alone, all or none', async () => {
    using fixture = openVenueFixture()
    const { update, info, affiliate } = await openProgram(fixture)
    const a = await affiliate('a', 'ALPHA')
    const b = await affiliate('b', 'BETA')
    const plain = await fixture.trader('plain')
    const ids = (...traders: Trader[]) => traders.map(({ accountId }) => accountId)
    const rates = async () =>
      (await info()).map((row: { max_rebate_rate: number }) => row.max_rebate_rate)
    for (const fields of [
      { account_ids: ids(a, plain), bonus_rebate_rate: 0.3 },
      { account_ids: [], bonus_rebate_rate: 0.3 },
      { account_ids: a.accountId, bonus_rebate_rate: 0.3 },
      { account_ids: ids(a, b) },
    ])
      expect(await update(fields)).toMatchObject({ status: 400, code: -1005 })
    expect(await rates()).toEqual([0.2, 0.2])
    await update({ account_ids: ids(a, b), bonus_rebate_rate: 0.3 })
    expect(await rates()).toEqual([0.3, 0.3])
  })
})

describe('a code of one’s own', () => {
  test('is issued to a promoted account at once, with a rate of zero', async () => {
    using fixture = openVenueFixture()
    const { info } = await openProgram(fixture)
    const a = await fixture.trader('a')
    fixture.venue().affiliates.promote(a.accountId)
    const { data } = await claim(a)
    expect(data.referral_code).toMatch(/^[A-Z]{8}$/)
    expect(data.default_referee_rebate_rate).toBe(0)
    expect(await info()).toMatchObject([{ referral_code: data.referral_code, max_rebate_rate: 0 }])
    expect(await claim(a)).toMatchObject({ status: 409, code: -1007 })
  })

  test('is issued to anybody else only after the required volume', async () => {
    using fixture = openVenueFixture()
    await openProgram(fixture)
    const a = await fixture.trader('a')
    expect(await claim(a)).toMatchObject({ status: 400, code: -1012 })
    const volume = async () => (await a.get('/v1/referral/multi_level/volume_prerequisite')).data
    expect(await volume()).toEqual({ required_volume: 10_000, current_volume: 0 })
    await a.order({ order_type: 'MARKET', order_price: null, order_quantity: 0.2 })
    expect((await volume()).current_volume).toBeGreaterThan(10_000)
    expect((await claim(a)).status).toBe(200)
  })

  test('cannot share out more than its rate', async () => {
    using fixture = openVenueFixture()
    await openProgram(fixture)
    const a = await fixture.trader('a')
    fixture.venue().affiliates.promote(a.accountId)
    expect(await claim(a, { bonus_referee_rebate_rate: 0.1 })).toMatchObject({ code: -1005 })
    expect((await a.get('/v1/referral/multi_level/rebate_info')).data.referral_code).toBe('')
  })

  test('is renamed until an account has joined with it', async () => {
    using fixture = openVenueFixture()
    const { affiliate, exist } = await openProgram(fixture)
    const a = await affiliate('a', 'ALPHA')
    await affiliate('b', 'BETA')
    const c = await fixture.trader('c')
    expect(await rename(a, 'WRONG', 'GAMMA')).toMatchObject({ code: -1006 })
    expect(await rename(a, 'ALPHA', 'no')).toMatchObject({ code: -1005 })
    expect(await rename(a, 'ALPHA', 'BETA')).toMatchObject({ status: 409, code: -1007 })
    expect((await rename(a, 'ALPHA', 'GAMMA')).status).toBe(200)
    expect([await exist('ALPHA'), await exist('GAMMA')]).toEqual(['false', 'true'])
    await bind(c, 'GAMMA')
    expect(await rename(a, 'GAMMA', 'DELTA')).toMatchObject({ code: -1012 })
    expect(await exist('DELTA')).toBe('false')
  })
})
