import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { envelope, jsonPost, newCaller, type TestCaller } from '../caller.ts'
import { until } from '../cluster/processes.ts'
import { type RecordingUpstream, startRecordingUpstream } from '../recording-upstream.ts'
import { type ClockedTarget, openClocked } from '../surface/clocked-target.ts'
import { UNLIMITED } from './unlimited.ts'

const DAY_MS = 86_400_000

let venue: RecordingUpstream
let target: ClockedTarget
let caller: TestCaller

beforeEach(async () => {
  venue = await startRecordingUpstream()
  target = await openClocked({ VENUE: venue.url, ...UNLIMITED })
  caller = newCaller()
})
afterEach(async () => {
  await target.stop()
  await venue.stop()
})

function order(): object {
  const body = JSON.stringify({ client_order_id: crypto.randomUUID() })
  const timestamp = String(target.nowMs())
  return envelope(caller, { method: 'POST', path: '/v1/order', body, timestamp })
}

/** What a refusal says of the time of an envelope and of the server. */
function bothTimes(signed: object) {
  const signedAtMs = Number(Object(signed).auth.timestamp)
  const serverAtMs = expect.closeTo(target.nowMs(), -4)
  return { parameter: 'auth.timestamp', reason: 'clock', signedAtMs, serverAtMs }
}

async function post(body: object) {
  const response = await target.fetch('/api/prep/relay', jsonPost(body))
  return { status: response.status, body: Object(await response.json()) }
}

/** How many rounds housekeeping has had. */
async function rounds(): Promise<number> {
  const text = await (await target.ops('/metrics')).text()
  const count = /^prepd_housekeeping_duration_seconds_count\{.*"flush".*\} (\d+)$/m.exec(text)
  return Number(count?.[1] ?? 0)
}

describe('a clock that', () => {
  test('jumps a day ahead refuses what was signed before, and sends none of it', async () => {
    const signed = order()
    target.advance(DAY_MS)
    expect(await post(signed)).toMatchObject({
      status: 401,
      body: { code: 'expired_signature', meta: bothTimes(signed) },
    })
    expect(venue.requests).toHaveLength(0)
    expect((await post(order())).status).toBe(200)
  })

  test('steps back refuses what was signed after it, and sends none of it', async () => {
    target.advance(DAY_MS)
    const signed = order()
    target.advance(-DAY_MS)
    const meta = bothTimes(signed)
    expect(await post(signed)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', meta },
    })
    expect(venue.requests).toHaveLength(0)
    expect((await post(order())).status).toBe(200)
  })

  test.each([
    ['an hour ahead and back', 3_600_000],
    ['an hour back and ahead', -3_600_000],
    ['a second back and ahead', -1000],
  ])('goes %s sends no write again', async (_, ms) => {
    const signed = order()
    expect((await post(signed)).status).toBe(200)
    target.advance(ms)
    await post(signed)
    target.advance(-ms)
    const again = await post(signed)
    expect([200, 409]).toContain(again.status)
    expect(venue.requests).toHaveLength(1)
  })

  // Slow: housekeeping has a round every second.
  test('goes a day ahead, is tidied up after, and comes back sends no write again', async () => {
    const signed = order()
    expect((await post(signed)).status).toBe(200)
    target.advance(DAY_MS)
    const before = await rounds()
    await until(async () => (await rounds()) > before)
    target.advance(-DAY_MS)
    expect([200, 409]).toContain((await post(signed)).status)
    expect(venue.requests).toHaveLength(1)
  })

  test('steps back leaves nobody waiting longer than a window takes to empty', async () => {
    const limited = await openClocked({ VENUE: venue.url, LIMIT_READ: '60/60s burst 2' })
    const ask = () => limited.fetch('/api/prep/catalogue')
    expect((await ask()).status).toBe(200)
    limited.advance(-3_600_000)
    const waitSeconds = Number((await ask()).headers.get('retry-after') ?? 0)
    expect(waitSeconds).toBeLessThanOrEqual(2)
    limited.advance(waitSeconds * 1000)
    expect((await ask()).status).toBe(200)
    await limited.stop()
  })
})
