import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { bytesOf, type Text } from '../attack/corpus.ts'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import {
  ACCEPTED,
  type AnswerSpec,
  type RecordingUpstream,
  startRecordingUpstream,
} from '../recording-upstream.ts'
import { type Gate, openGate } from '../surface/gate.ts'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'
import answers from './vectors/venue-answers.json'

/** The venue's answer byte for byte, and the caller's outcome: 200, or a failure's code. */
type Row = {
  readonly name: string
  readonly raw: Text
  readonly read: string | number
  readonly write: string | number
  readonly public: string | number
  /** Texts that stand in every answer, its headers included, in lower case. */
  readonly has?: readonly string[]
  readonly missing?: readonly string[]
}

const ROWS = answers as readonly Row[]

const caller = newCaller()

function signed(method: 'GET' | 'POST'): RequestInit {
  return jsonPost(
    method === 'GET'
      ? envelope(caller, { method, path: '/v1/positions' })
      : envelope(caller, { method, path: '/v1/order', body: crypto.randomUUID() }),
  )
}

async function outcome(response: Response) {
  const text = await response.text()
  const head = [...response.headers].map((pair) => pair.join(': ')).join('\n')
  const outcome = response.ok ? response.status : Object(JSON.parse(text)).code
  return { outcome, whole: `${head}\n${text}`.toLowerCase() }
}

describe.each([...TARGET_KINDS])('a venue, %s,', (kind) => {
  let answer: AnswerSpec | Promise<AnswerSpec> = ACCEPTED
  let venue: RecordingUpstream
  let gate: Gate
  let target: Target

  beforeAll(async () => {
    venue = await startRecordingUpstream(() => answer)
    gate = await openGate(venue.url)
    target = await openTarget(kind, { VENUE: gate.url })
  })
  afterAll(async () => {
    await target.stop()
    await gate.shut()
    await venue.stop()
  })

  // Slow: answers of up to 20 MB are sent and refused.
  test.each([...ROWS])('that sends $name', async (row) => {
    answer = { raw: bytesOf(row.raw) }
    const asked = {
      read: () => target.fetch('/api/prep/relay', signed('GET')),
      write: () => target.fetch('/api/prep/relay', signed('POST')),
      public: () => target.fetch('/api/prep/op/vault.strategyNonce'),
    }
    for (const [name, ask] of Object.entries(asked)) {
      const before = venue.requests.length
      const { outcome: code, whole } = await outcome(await ask())
      expect({ name, code }).toEqual({ name, code: Object(row)[name] })
      expect(venue.requests.length - before).toBe(1)
      for (const text of row.has ?? []) expect(whole).toContain(text)
      for (const text of row.missing ?? []) expect(whole).not.toContain(text)
    }
  })

  test('that is gone is said to be gone, and a write that never left may go out later, once', async () => {
    answer = ACCEPTED
    const write = signed('POST')
    await gate.shut()
    const before = venue.requests.length
    const gone = await outcome(await target.fetch('/api/prep/relay', write))
    expect(gone.outcome).toBe('upstream_unavailable')
    expect(venue.requests.length).toBe(before)
    await gate.open()
    for (let turn = 0; turn < 3; turn++) {
      expect((await outcome(await target.fetch('/api/prep/relay', write))).outcome).toBe(200)
    }
    expect(venue.requests.length).toBe(before + 1)
  })

  test('that is slow with some keeps nobody else waiting', async () => {
    const { promise: held, resolve } = Promise.withResolvers<AnswerSpec>()
    answer = held
    const before = venue.requests.length
    const slow = Array.from({ length: 30 }, () => target.fetch('/api/prep/relay', signed('POST')))
    while (venue.requests.length < before + 30) await Bun.sleep(1)
    expect((await target.fetch('/api/prep/catalogue')).status).toBe(200)
    answer = ACCEPTED
    expect((await target.fetch('/api/prep/relay', signed('POST'))).status).toBe(200)
    expect(await Promise.race([...slow, Promise.resolve('still under way')])).toBe(
      'still under way',
    )
    resolve(ACCEPTED)
    for (const response of slow) expect((await response).status).toBe(200)
  })

  test('whatever it sent, has crashed nothing', () => {
    expect(target.log()).not.toMatch(/"crash"|panic|Unhandled|\n {4}at /)
    const raw = target
      .log()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('{'))
    expect(raw).toEqual([])
  })
})
