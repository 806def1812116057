import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { jsonPost, newCaller, type TestCaller } from '../caller.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { newUser } from './wallets.ts'

const OPERATOR_KEY = 'operator-key-of-thirty-two-letters'
const PROMOTE = '/api/admin/venue/promote'

describe.each([...USUAL_KINDS])('what only the operator may do, %s', (kind) => {
  let target: Target
  let account: TestCaller

  beforeAll(async () => {
    target = await openTarget(kind, {
      VENUE: 'embedded',
      OPERATOR_KEY,
      LIMIT_ADMIN: '60/3600s burst 2',
      ALLOWED_ORIGINS: 'https://app.example',
    })
    account = await newUser(target)
  })
  afterAll(() => target.stop())

  async function promote(
    headers: Record<string, string>,
    key = OPERATOR_KEY,
    { accountId } = account,
  ) {
    const post = jsonPost({ accountId })
    const authorization = `Bearer ${key}`
    const response = await target.fetch(PROMOTE, {
      ...post,
      headers: { ...Object(post.headers), authorization, ...headers },
    })
    const { code, meta } = Object(await response.json())
    return { status: response.status, code, meta }
  }

  test.each([
    { origin: 'https://evil.example', setting: 'PREPD_ALLOWED_ORIGINS' },
    { origin: 'https://app.example.evil', setting: 'PREPD_ALLOWED_ORIGINS' },
    { origin: 'null', setting: 'PREPD_ALLOWED_ORIGINS' },
    { host: 'rebound.example', setting: 'PREPD_ALLOWED_HOSTS' },
  ])(
    'is refused to a page of somebody else, also with the key, and is not counted: %p',
    async (row) => {
      const { setting, ...headers } = row
      const from = { 'x-forwarded-for': `198.51.100.${Object.values(row).join('').length}` }
      for (const key of [OPERATOR_KEY, 'a guess', OPERATOR_KEY]) {
        expect(await promote({ ...from, ...headers }, key)).toMatchObject({
          status: 403,
          code: 'forbidden',
          meta: { setting },
        })
      }
      expect(await promote(from, 'a guess')).toMatchObject({ status: 401 })
    },
  )

  test('is not done for an account that does not exist', async () => {
    const from = { 'x-forwarded-for': '198.51.100.202' }
    expect(await promote(from, OPERATOR_KEY, newCaller())).toMatchObject({
      status: 404,
      code: 'not_found',
    })
  })

  test('is done for a known page and for no page, as often as its limit says', async () => {
    const from = { 'x-forwarded-for': '198.51.100.200' }
    expect(await promote({ ...from, origin: 'https://app.example' })).toMatchObject({ status: 200 })
    expect(await promote(from)).toMatchObject({ status: 200 })
    expect(await promote(from)).toMatchObject({ status: 429, code: 'rate_limited' })
    expect(await promote({ 'x-forwarded-for': '198.51.100.201' })).toMatchObject({ status: 200 })
  })

  test('is never refused to a right key for the wrong ones of its address, which are limited', async () => {
    const from = { 'x-forwarded-for': '198.51.100.203' }
    const guessed = await Promise.all(
      Array.from({ length: 120 }, (_, guess) => promote(from, `guess ${guess}`)),
    )
    expect(guessed.filter(({ status }) => status === 401)).toHaveLength(2)
    expect(guessed.filter(({ status }) => status === 429)).toHaveLength(118)
    expect(await promote(from)).toMatchObject({ status: 200 })
    expect(await promote({ 'x-forwarded-for': '198.51.100.204' }, 'a guess')).toMatchObject({
      status: 401,
    })
  })
})
