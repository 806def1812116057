import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openTarget, type Target } from '../target.ts'

const HOUR_MS = 3_600_000

let target: Target
beforeAll(async () => {
  target = await openTarget('in process', {
    VENUE_CLOCK: 'virtual',
    VENUE_START: '2031-05-06T07:00:00Z',
    LIMIT_READ: '3/3600s burst 3',
  })
})
afterAll(() => target.stop())

const pass = (ms: number) => target.ops(`/venue/advance?ms=${ms}`, { method: 'POST' })

async function read(caller: string, path = '/api/prep/deposit-chains') {
  const response = await target.fetch(path, { headers: { 'x-forwarded-for': caller } })
  const cacheStatus = response.headers.get('cache-status') ?? ''
  return { status: response.status, kept: cacheStatus.includes('fwd=miss') ? 'miss' : 'hit' }
}

test('kept answers of the embedded venue age by its time, and windows fill by it, as by the wall', async () => {
  expect(await read('203.0.113.1')).toEqual({ status: 200, kept: 'miss' })
  expect(await read('203.0.113.1')).toEqual({ status: 200, kept: 'hit' })
  expect(await read('203.0.113.1')).toEqual({ status: 200, kept: 'hit' })
  expect((await read('203.0.113.1')).status).toBe(429)
  await pass(HOUR_MS / 2)
  expect(await read('203.0.113.1')).toEqual({ status: 200, kept: 'hit' })
  await pass(HOUR_MS)
  expect(await read('203.0.113.1')).toEqual({ status: 200, kept: 'miss' })
})

test('the gateway judges signatures by the wall alone', async () => {
  const signed = (timestampMs: number) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      method: 'GET',
      path: '/v1/positions',
      auth: {
        accountId: `0x${'ab'.repeat(32)}`,
        key: `ed25519:${'4'.repeat(44)}`,
        timestamp: String(timestampMs),
        signature: 'A'.repeat(86),
      },
    }),
  })
  const codeAt = async (timestampMs: number) =>
    JSON.parse(await (await target.fetch('/api/prep/relay', signed(timestampMs))).text()).code
  expect(await codeAt(Date.UTC(2031, 4, 6, 7))).toBe('invalid_request')
  expect(await codeAt(Date.now() - 400_000)).toBe('expired_signature')
  expect(await codeAt(Date.now())).not.toBe('expired_signature')
})
