import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type ClockedTarget, openClocked } from './clocked-target.ts'
import { startRecordedVenue } from './recorded-venue.ts'
import { ok, REGISTER } from './registration-rig.ts'
import { askToRegister, post, signedBody, WALLETS } from './wallets.ts'

let venue: Awaited<ReturnType<typeof startRecordedVenue>>
let target: ClockedTarget

beforeEach(async () => {
  venue = await startRecordedVenue()
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

test('a nonce older than two minutes is refused, and nothing is sent', async () => {
  const body = await signedBody(WALLETS.viem(), await askToRegister(target))
  target.advance(121_000)
  const asked = venue.requests.length
  expect(await post(target, REGISTER, body)).toMatchObject({
    body: { code: 'invalid_request', meta: { parameter: 'message.registrationNonce' } },
  })
  expect(venue.requests.length).toBe(asked)
})

test('a message older than five minutes has expired before its nonce is looked at', async () => {
  const body = await signedBody(WALLETS.viem(), await askToRegister(target))
  target.advance(300_001)
  expect(await post(target, REGISTER, body)).toMatchObject({ body: { code: 'expired_signature' } })
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
