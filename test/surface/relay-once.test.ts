import { beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { envelope, newCaller } from '../caller.ts'
import type { AnswerSpec } from '../recording-upstream.ts'
import { TARGET_KINDS } from '../target.ts'
import { relayFixture } from './relay-fixture.ts'

const caller = newCaller()
const order = (note: string) =>
  ({ method: 'POST', path: '/v1/order', body: JSON.stringify({ note }) }) as const
const PLACED: AnswerSpec = {
  json: { success: true, timestamp: 1, data: { order_id: 7, error_message: 'none' } },
}

describe.each([...TARGET_KINDS])('a write goes out at most once, %s', (kind) => {
  let answer: AnswerSpec = PLACED
  const folder = mkdtempSync(join(tmpdir(), 'prepd-once-'))
  const settings = { DATA_DIR: join(folder, 'data') }
  const fixture = relayFixture(kind, { caller, settings, answer: () => answer })

  beforeEach(() => {
    answer = PLACED
  })

  const sent = () => fixture.sent().length
  const post = async (signed: object) => {
    const response = await fixture.post(signed)
    const replay = response.headers.get('x-prepd-replay')
    return { status: response.status, replay, body: Object(await response.json()) }
  }

  test('two copies at the same time arrive once and get the same answer', async () => {
    answer = { ...Object(PLACED), delayMs: 50 }
    const signed = envelope(caller, order('twins'))
    const answers = await Promise.all([post(signed), post(signed)])
    expect(answers.map(({ body }) => body.order_id)).toEqual([7, 7])
    expect(answers.map(({ replay }) => replay).sort()).toEqual([null, 'true'].sort())
    expect(sent()).toBe(1)
  })

  test('a later copy gets the first answer, marked as a replay', async () => {
    const signed = envelope(caller, order('later'))
    expect(await post(signed)).toMatchObject({ status: 200, replay: null })
    expect(await post(signed)).toMatchObject({ status: 200, replay: 'true', body: { order_id: 7 } })
    expect(sent()).toBe(1)
  })

  test('the same text for another account is not sent again, and is not told the first answer', async () => {
    const signed = envelope(caller, order('spelling'))
    await post(signed)
    const other = { ...signed, auth: { ...signed.auth, accountId: newCaller().accountId } }
    const second = await post(other)
    expect(second).toMatchObject({ status: 409, replay: null, body: { code: 'duplicate_request' } })
    expect(JSON.stringify(second.body)).not.toContain('order_id')
    expect(sent()).toBe(1)
  })

  test('an order that somebody sent first under a wrong account is not lost', async () => {
    const signed = envelope(caller, order('stolen'))
    const wrong = { ...signed, auth: { ...signed.auth, accountId: newCaller().accountId } }
    answer = { status: 401, json: { success: false, code: -1002, message: 'x' }, delayMs: 30 }
    const refused = post(wrong)
    while (sent() === 0) await Bun.sleep(1)
    answer = PLACED
    const [first, second] = await Promise.all([refused, post(signed)])
    expect(first).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
    expect(second).toMatchObject({ status: 200, replay: null, body: { order_id: 7 } })
    expect(sent()).toBe(2)
  })

  test('reads are not remembered', async () => {
    const signed = envelope(caller, { method: 'GET', path: '/v1/positions' })
    await post(signed)
    expect(await post(signed)).toMatchObject({ status: 200, replay: null })
    expect(sent()).toBe(2)
  })

  const unknownOutcomes: { what: string; spec: AnswerSpec; method: 'POST' | 'DELETE' }[] = [
    { what: 'a closed connection', spec: 'close', method: 'POST' },
    { what: 'a closed connection', spec: 'close', method: 'DELETE' },
    { what: 'a 500', spec: { status: 500, json: { success: false, code: -1000 } }, method: 'POST' },
    {
      what: 'an HTML page',
      spec: { status: 502, body: '<html>', contentType: 'text/html' },
      method: 'POST',
    },
    { what: 'half an answer', spec: { ...Object(PLACED), truncated: 'close' }, method: 'POST' },
  ]
  test.each(unknownOutcomes)(
    'after $what a $method has an unknown outcome and is not sent again',
    async ({ spec, method }) => {
      answer = spec
      const path =
        method === 'DELETE' ? `/v1/order?order_id=${Date.now()}&symbol=PERP_ETH_USDC` : '/v1/order'
      const signed = envelope(caller, {
        method,
        path,
        ...(method === 'POST' && { body: crypto.randomUUID() }),
      })
      const first = await post(signed)
      expect(first).toMatchObject({ status: 409, body: { code: 'outcome_unknown' } })
      expect(first.body.meta.next).toContain('GET /v1/orders')
      answer = PLACED
      expect(await post(signed)).toMatchObject({
        status: 409,
        replay: 'true',
        body: { code: 'outcome_unknown' },
      })
      expect(sent()).toBe(1)
    },
  )

  test('a write the venue turned away for being busy may be sent again', async () => {
    answer = {
      status: 429,
      json: { success: false, code: -1003, message: 'x' },
      headers: { 'retry-after': '7' },
    }
    const signed = envelope(caller, order('busy'))
    expect(await post(signed)).toMatchObject({ status: 503, body: { code: 'upstream_busy' } })
    answer = PLACED
    expect(await post(signed)).toMatchObject({ status: 200, replay: null })
    expect(sent()).toBe(2)
  })

  test('a definite refusal is given again without asking the venue', async () => {
    answer = { status: 400, json: { success: false, code: -1101, message: 'woofi says no' } }
    const signed = envelope(caller, order('refused'))
    const first = await post(signed)
    expect(first).toMatchObject({
      status: 422,
      replay: null,
      body: { code: 'insufficient_margin' },
    })
    expect(JSON.stringify(first.body)).not.toContain('woofi')
    expect(await post(signed)).toMatchObject({ status: 422, replay: 'true' })
    expect(sent()).toBe(1)
  })

  test('after a restart a copy is not sent again, and its outcome is unknown', async () => {
    const signed = envelope(caller, order('restart'))
    await post(signed)
    await fixture.restart()
    expect(await post(signed)).toMatchObject({ status: 409, body: { code: 'outcome_unknown' } })
    expect(sent()).toBe(1)
  })

  test('a caller who hangs up does not take the write back', async () => {
    answer = { ...Object(PLACED), delayMs: 100 }
    const signed = envelope(caller, order('gone'))
    const leaving = new AbortController()
    const gone = fixture.post(signed, { signal: leaving.signal }).catch(() => null)
    while (sent() === 0) await Bun.sleep(1)
    leaving.abort()
    await gone
    expect(await post(signed)).toMatchObject({ status: 200, replay: 'true' })
    expect(sent()).toBe(1)
  })
})
