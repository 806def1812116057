import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../../src/agents/client/client.ts'
import { openTemporaryAccount } from '../../src/operator/account/open.ts'
import { jsonPost, type TestCaller } from '../caller.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'

const OPERATOR_KEY = 'operator-key-of-thirty-two-letters'
const PROMOTE = '/api/admin/venue/promote'

describe.each([...USUAL_KINDS])('referrals on the embedded venue, %s', (kind) => {
  const DATA_DIR = join(mkdtempSync(join(tmpdir(), 'prepd-referral-')), 'data')
  let target: Target
  let operator: TestCaller
  let reasonBefore: unknown

  const open = (settings = {}) =>
    openTarget(kind, {
      DATA_DIR,
      OPERATOR_KEY,
      LIMIT_REFERRAL: 'off',
      LIMIT_ADMIN: 'off',
      ...settings,
    })
  const withOperator = () =>
    open({
      AFFILIATE_ACCOUNT_ID: operator.accountId,
      AFFILIATE_TRADING_KEY: operator.secret.toHex(),
    })

  beforeAll(async () => {
    target = await open()
    operator = await account()
    reasonBefore = [await code(operator, 'EARLY'), await rate(operator)]
    await target.stop()
    target = await withOperator()
  })
  afterAll(() => target.stop())

  const client = () =>
    createClient({
      baseUrl: 'http://localhost',
      nowMs: Date.now,
      transport: async (request) => {
        const { method, headers } = request
        const body = method === 'GET' ? null : await request.text()
        return target.fetch(new URL(request.url).pathname, { method, headers, body })
      },
    })
  const account = () => {
    return openTemporaryAccount(client(), {
      clock: { nowMs: Date.now },
      random: { bytes },
    })
  }
  const promote = async ({ accountId }: TestCaller, key = OPERATOR_KEY) => {
    const post = jsonPost({ accountId })
    const headers = { ...Object(post.headers), authorization: `Bearer ${key}` }
    return (await target.fetch(PROMOTE, { ...post, headers })).status
  }
  const promoted = async () => {
    const affiliate = await account()
    await promote(affiliate)
    return affiliate
  }
  const ask = async (route: string, body: object) => {
    const response = await target.fetch(`/api/prep/referral/${route}`, jsonPost(body))
    expect(response.status).toBe(200)
    return Object(await response.json())
  }
  const code = ({ accountId }: TestCaller, text: string) => ask('code', { accountId, code: text })
  const rate = ({ accountId }: TestCaller) => ask('rate', { accountId })
  const own = async (caller: TestCaller) =>
    Object(
      await client().relay(caller, { method: 'GET', path: '/v1/referral/multi_level/rebate_info' }),
    )
  const valid = async (text: string) =>
    Object(await (await target.fetch(`/api/prep/referral/verify?code=${text}`)).json()).valid

  test('without an operator’s key nothing is configured', () => {
    expect(reasonBefore).toEqual([
      { created: false, reason: 'not_configured' },
      { updated: false, reason: 'not_configured' },
    ])
  })

  test('every reason to refuse a code is reached, in the order of the reasons', async () => {
    const affiliate = await promoted()
    const plain = await account()
    expect(await code(plain, 'no')).toEqual({ created: false, reason: 'format' })
    expect(await code(plain, 'support')).toEqual({ created: false, reason: 'reserved' })
    expect(await code(plain, 'prepd')).toEqual({ created: false, reason: 'reserved' })
    expect(await code(plain, 'FREE1')).toEqual({ created: false, reason: 'not_affiliate' })
    expect(await code(affiliate, ' first1 ')).toEqual({
      created: true,
      code: 'FIRST1',
      maxRebateRate: 0.1,
    })
    expect(await code(affiliate, 'FIRST1')).toEqual({ created: false, reason: 'already_affiliate' })
    expect(await code(affiliate, 'SECOND1')).toEqual({
      created: false,
      reason: 'already_affiliate',
    })
    expect(await code(plain, 'FIRST1')).toEqual({ created: false, reason: 'taken' })
    expect([await valid('FIRST1'), await valid('SECOND1')]).toEqual([true, false])
    expect(await own(affiliate)).toMatchObject({ referral_code: 'FIRST1', max_rebate_rate: 0.1 })
    expect((await own(plain)).referral_code).toBe('')
  })

  test('a rate of zero is raised once, and no other is touched', async () => {
    const affiliate = await promoted()
    const plain = await account()
    expect(await rate(plain)).toEqual({ updated: false, reason: 'not_affiliate' })
    expect(await rate(affiliate)).toEqual({ updated: false, reason: 'not_affiliate' })
    const path = '/v1/referral/multi_level/claim_code'
    await client().relay(affiliate, { method: 'POST', path, body: '{}' })
    expect((await own(affiliate)).max_rebate_rate).toBe(0)
    expect(await rate(affiliate)).toEqual({ updated: true, rate: 0.1 })
    expect(await rate(affiliate)).toEqual({ updated: false, reason: 'already_set', rate: 0.1 })
    expect((await own(affiliate)).max_rebate_rate).toBe(0.1)
    expect((await own(plain)).referral_code).toBe('')
  })

  test('a hundred calls for a hundred codes create one', async () => {
    const affiliate = await promoted()
    const codes = Array.from({ length: 100 }, (_, index) => `RUSH${index}`)
    const answers = await Promise.all(codes.map((text) => code(affiliate, text)))
    const created = answers.filter((answer) => answer.created)
    expect(created).toHaveLength(1)
    const refused = answers.filter((answer) => answer.reason === 'already_affiliate')
    expect(refused).toHaveLength(99)
    const found = await Promise.all(codes.map(valid))
    expect(codes.filter((_, index) => found[index])).toEqual([created[0].code])
  })

  test('only the operator promotes, and what is promoted stays so', async () => {
    const plain = await account()
    expect(await promote(plain, 'another')).toBe(401)
    expect((await target.fetch(PROMOTE, jsonPost({ accountId: plain.accountId }))).status).toBe(401)
    expect((await code(plain, 'NOTYET')).reason).toBe('not_affiliate')
    expect(await promote(plain)).toBe(200)
    await target.stop()
    target = await withOperator()
    expect((await code(plain, 'BYNOW')).created).toBe(true)
    await target.stop()
    target = await withOperator()
    expect((await own(plain)).referral_code).toBe('BYNOW')
  })

  test('the operator’s paths are no paths of the relay', async () => {
    const path = '/v1/referral/multi_level/admin/info'
    const relayed = client().relay(operator, { method: 'GET', path })
    expect(await relayed.catch((error) => error.code)).toBe('forbidden')
  })
})

function bytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length))
}
