import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type AnswerSpec, startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { OPERATION_ROWS, recordedAnswer } from './recorded-venue.ts'

const WALLET = `0x${'1f'.repeat(20)}`
const recorded = (id: string) => Object(OPERATION_ROWS.find((row) => row.id === id)?.answer).data

describe.each([...USUAL_KINDS])('points, %s', (kind) => {
  let answer: AnswerSpec | null = null
  let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
  let off: Target
  let on: Target

  beforeAll(async () => {
    venue = await startRecordingUpstream((request) => answer ?? recordedAnswer(request))
    off = await openTarget(kind, { VENUE: venue.url })
    on = await openTarget(kind, { VENUE: venue.url, POINTS: 'on' })
  })
  afterAll(async () => {
    await off.stop()
    await on.stop()
    await venue.stop()
  })
  beforeEach(() => {
    answer = null
  })

  async function ask(target: Target, query: string) {
    const before = venue.requests.length
    const response = await target.fetch(`/api/prep/points${query}`)
    const sent = venue.requests.slice(before).map((request) => request.target)
    return { status: response.status, body: Object(await response.json()), sent }
  }

  test('with the module off nobody is asked, and that is no error', async () => {
    expect(await ask(off, `?address=${WALLET}`)).toEqual({
      status: 200,
      body: { enabled: false, merits: null, epochs: null },
      sent: [],
    })
  })

  test('with the module on both payloads come from the venue', async () => {
    const { status, body, sent } = await ask(on, `?address=${WALLET}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      enabled: true,
      merits: recorded('rewards.userMerits'),
      epochs: recorded('rewards.epochs'),
    })
    expect(sent.sort()).toEqual([
      `/v1/client/points?address=${WALLET}`,
      '/v1/public/points/epoch_dates',
    ])
  })

  test('with the module on the embedded venue knows epochs, and nothing of a wallet that never came', async () => {
    const embedded = await openTarget(kind, { POINTS: 'on' })
    const { status, body } = await ask(embedded, `?address=${WALLET}`)
    const { rows } = Object(await (await embedded.fetch('/api/prep/op/rewards.epochs')).json())
    await embedded.stop()
    expect([status, body]).toEqual([200, { enabled: true, merits: null, epochs: { rows } }])
    expect(rows).toHaveLength(12)
  })

  test.each([
    '',
    '?address=',
    '?address=0x12',
    `?address=${WALLET}0`,
    `?address=${'1f'.repeat(21)}`,
    `?address=${WALLET}&address=${WALLET}`,
    '?address=%zz',
    `?address=0x${'1'.repeat(600)}`,
  ])('%s is no address, whether the module is on or off, and nothing is sent', async (query) => {
    for (const target of [on, off]) {
      const { status, body, sent } = await ask(target, query)
      expect(status).toBe(400)
      expect(body.code).toBe('invalid_address')
      expect(sent).toEqual([])
    }
  })

  test.each<{ what: string; spec: AnswerSpec }>([
    {
      what: 'says that it is not there',
      spec: { status: 400, json: { success: false, code: -1006, message: 'x' } },
    },
    { what: 'answers no data', spec: { json: { success: true, timestamp: 1, data: null } } },
  ])('a wallet of which the venue $what has none, and that is no error', async ({ spec }) => {
    answer = spec
    const { status, body } = await ask(on, `?address=${WALLET}`)
    expect([status, body]).toEqual([200, { enabled: true, merits: null, epochs: null }])
  })

  const TROUBLES: readonly { what: string; spec: AnswerSpec; code: string }[] = [
    {
      what: 'a venue too busy',
      spec: { status: 429, json: { success: false, code: -1003, message: 'x' } },
      code: 'upstream_busy',
    },
    { what: 'a venue that hangs up', spec: 'close', code: 'upstream_unavailable' },
  ]
  test.each([...TROUBLES])('$what is told, never taken for no points', async ({ spec, code }) => {
    answer = spec
    const { body } = await ask(on, `?address=${WALLET}`)
    expect(body.code).toBe(code)
    expect(body).not.toHaveProperty('merits')
  })
})
