import { afterEach, beforeEach, expect, test } from 'bun:test'
import { newCaller } from '../caller.ts'
import type { AnswerSpec } from '../recording-upstream.ts'
import { type ClockedTarget, openClocked } from './clocked-target.ts'
import { recordedAnswer, startRecordedVenue } from './recorded-venue.ts'
import { BIND, DAY_MS, ok, REGISTER, UNKNOWN_ACCOUNT } from './registration-fixture.ts'
import { askToBind, askToRegister, post, signedBody, WALLETS } from './wallets.ts'

let venue: Awaited<ReturnType<typeof startRecordedVenue>>
let target: ClockedTarget
let answer: AnswerSpec | null

beforeEach(async () => {
  answer = null
  venue = await startRecordedVenue((request) => answer ?? recordedAnswer(request))
  target = await openClocked({ VENUE: venue.url })
})
afterEach(async () => {
  await target.stop()
  await venue.stop()
})

test('a nonce is good for two minutes', async () => {
  const body = await signedBody(WALLETS.viem(), await askToRegister(target))
  target.advance(119_000)
  expect(await post(target, REGISTER, body)).toMatchObject({ body: { created: true } })
})

test('a nonce older than two minutes is refused, and no registration is sent', async () => {
  const body = await signedBody(WALLETS.viem(), await askToRegister(target))
  target.advance(121_000)
  answer = UNKNOWN_ACCOUNT
  expect(await post(target, REGISTER, body)).toMatchObject({
    body: { code: 'invalid_request', meta: { parameter: 'message.registrationNonce' } },
  })
  expect(venue.requests.map(({ target: path }) => path)).not.toContain('/v1/register_account')
})

test('a message older than five minutes has expired before its nonce is looked at', async () => {
  const body = await signedBody(WALLETS.viem(), await askToRegister(target))
  target.advance(300_001)
  expect(await post(target, REGISTER, body)).toMatchObject({ body: { code: 'expired_signature' } })
})

test.each([
  { shiftMs: 300_000, body: { bound: true } },
  { shiftMs: 300_001, body: { code: 'expired_signature' } },
  { shiftMs: -300_000, body: { bound: true } },
  {
    shiftMs: -300_001,
    body: { code: 'invalid_request', meta: { parameter: 'message.timestamp' } },
  },
])('a message is good for five minutes both ways: $shiftMs ms', async ({ shiftMs, body }) => {
  const toBind = await askToBind(target, newCaller().key, target.nowMs() + DAY_MS)
  const signed = await signedBody(WALLETS.viem(), toBind)
  const asked = venue.requests.length
  target.advance(shiftMs)
  expect(await post(target, BIND, signed)).toMatchObject({ body })
  expect(venue.requests.length - asked).toBe('bound' in body ? 1 : 0)
})

test.each([
  { shiftMs: -300_000, body: { created: true } },
  {
    shiftMs: -300_001,
    body: { code: 'invalid_request', meta: { parameter: 'message.timestamp' } },
  },
])('a registration may be five minutes ahead: $shiftMs ms', async ({ shiftMs, body }) => {
  const signed = await signedBody(WALLETS.viem(), await askToRegister(target))
  const asked = venue.requests.length
  target.advance(shiftMs)
  expect(await post(target, REGISTER, signed)).toMatchObject({ body })
  expect(venue.requests.length > asked).toBe('created' in body)
})

test.each([
  { lifeMs: 1, status: 200 },
  { lifeMs: 0, status: 400 },
  { lifeMs: 365 * DAY_MS, status: 200 },
  { lifeMs: 365 * DAY_MS + 1, status: 400 },
])('a key that would live $lifeMs ms is answered $status', async ({ lifeMs, status }) => {
  const toBind = await askToBind(target, newCaller().key, target.nowMs() + DAY_MS)
  const expiration = target.nowMs() + lifeMs
  const { message, typedData } = toBind
  const document = JSON.parse(typedData)
  const changed = {
    ...toBind,
    message: { ...message, expiration },
    typedData: JSON.stringify({ ...document, message: { ...document.message, expiration } }),
  }
  const signed = await signedBody(WALLETS.viem(), changed)
  expect((await post(target, BIND, signed)).status).toBe(status)
})

test('a venue that gives no usable nonce is unavailable', async () => {
  for (const nonce of ['', 'abc', '-1', null, {}]) {
    const broken = await startRecordedVenue(() => ok({ registration_nonce: nonce }))
    const other = await openClocked({ VENUE: broken.url })
    const response = await other.fetch('/api/prep/registration-nonce')
    expect(await response.json()).toMatchObject({ code: 'upstream_unavailable' })
    await other.stop()
    await broken.stop()
  }
})
