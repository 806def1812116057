import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { signedText } from '../../src/core/crypto/signed-text.ts'
import { createVerifier } from '../../src/core/crypto/verifier.ts'
import { newCaller } from '../caller.ts'
import { type AnswerSpec, headerOf } from '../recording-upstream.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { OPERATION_ROWS, recordedAnswer, startRecordedVenue } from './recorded-venue.ts'

const DAYS = 'start_date=2026-08-01&end_date=2026-08-18'
const PATH = `/api/prep/op/builder.dailyRevenue?${DAYS}`
const recorded = Object(OPERATION_ROWS.find(({ id }) => id === 'builder.dailyRevenue')?.answer).data

describe.each([...USUAL_KINDS])('daily revenue, %s', (kind) => {
  const operator = newCaller()
  const AFFILIATE = {
    AFFILIATE_ACCOUNT_ID: operator.accountId,
    AFFILIATE_TRADING_KEY: operator.secret.toHex(),
  }
  let answer: AnswerSpec | null
  let venue: Awaited<ReturnType<typeof startRecordedVenue>>
  let target: Target

  beforeEach(() => {
    answer = null
  })
  beforeAll(async () => {
    venue = await startRecordedVenue((request) => answer ?? recordedAnswer(request))
    target = await openTarget(kind, { VENUE: venue.url, BROKER_ID: 'operator-7', ...AFFILIATE })
  })
  afterAll(async () => {
    await target.stop()
    await venue.stop()
  })

  const ask = async (path: string, of = target) => {
    const before = venue.requests.length
    const response = await of.fetch(path)
    const body = Object(await response.json())
    return { response, body, sent: venue.requests.slice(before) }
  }

  test('is read with the operator’s key for its own broker, and kept like any other read', async () => {
    const { response, body, sent } = await ask(`${PATH}&broker_id=somebody-else`)
    expect([response.status, body]).toEqual([200, recorded])
    expect(response.headers.get('cache-control')).toBe('public, max-age=60, stale-if-error=600')
    const [request] = sent
    if (!request || sent.length !== 1) throw new Error(`sent ${sent.length}`)
    expect(request.method).toBe('GET')
    expect(request.target).toBe(`/v1/broker/daily_fee_revenue?broker_id=operator-7&${DAYS}`)
    expect(headerOf(request, 'orderly-account-id')).toBe(operator.accountId)
    const [key, timestamp, signature] = ['key', 'timestamp', 'signature'].map(
      (name) => headerOf(request, `orderly-${name}`) ?? '',
    )
    const text = signedText({ timestamp: timestamp ?? '', method: 'GET', path: request.target })
    expect(createVerifier({ keysMax: 1 }).verify(key ?? '', text, signature ?? '')).toBe('valid')
    expect((await ask(PATH)).sent).toEqual([])
    expect(target.log()).not.toContain(signature ?? 'x')
  })

  test('is not configured where the venue refuses the key, and the operator is told', async () => {
    answer = { status: 401, json: { success: false, code: -1002, message: 'no' } }
    const { body } = await ask(PATH.replace('08-01', '08-02'))
    expect(body.code).toBe('not_configured')
    expect(target.log()).toContain('operator.key_refused')
  })

  test('is not configured without an account, and nothing is sent', async () => {
    const other = await openTarget(kind, { VENUE: venue.url })
    const { body, sent } = await ask(PATH, other)
    await other.stop()
    expect([body.code, sent]).toEqual(['not_configured', []])
  })

  test('needs both dates', async () => {
    const { body, sent } = await ask('/api/prep/op/builder.dailyRevenue?start_date=2026-08-01')
    expect(body).toMatchObject({ code: 'invalid_request', meta: { parameter: 'end_date' } })
    expect(sent).toEqual([])
  })
})
