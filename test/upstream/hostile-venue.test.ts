import { afterEach, describe, expect, test, vi } from 'bun:test'
import { LIMITS } from '../../src/contract/limits.ts'
import { yieldToEventLoop } from '../../src/core/loop/guarded.ts'
import type { UpstreamError, UpstreamFault } from '../../src/core/ports.ts'
import { ACCEPTED, type AnswerSpec } from '../recording-upstream.ts'
import { faultOf, read, startVenue, stopVenues, write } from './live-venue.ts'

afterEach(() => void vi.useRealTimers())
afterEach(stopVenues)

/** A gzip stream of blocks without content: it unpacks to nothing, for as long as it goes on. */
function emptyBlocks(count: number): Uint8Array {
  const head = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
  const block = Uint8Array.from([0, 0, 0, 0xff, 0xff])
  return Buffer.concat([head, ...Array<Uint8Array>(count).fill(block)])
}

const PACKED = { headers: { 'Content-Encoding': 'gzip' } }
const JSON_TEXT = JSON.stringify({ success: true, data: { text: 'x'.repeat(40_000) } })

describe('an answer is measured while it comes in', () => {
  const HOSTILE: readonly [string, AnswerSpec, UpstreamFault][] = [
    ['deeper than the scrub goes', { body: '['.repeat(400), truncated: 'stall' }, 'oversized'],
    ['deep in objects', { body: '{"a":'.repeat(200), truncated: 'stall' }, 'oversized'],
    [
      'deep once it is unpacked',
      { body: Bun.gzipSync('['.repeat(90_000)), ...PACKED },
      'oversized',
    ],
    ['packed to nothing without end', { body: emptyBlocks(30_000), ...PACKED }, 'oversized'],
    [
      'packed and cut off',
      { body: Bun.gzipSync(JSON_TEXT).subarray(0, 60), ...PACKED },
      'content_type',
    ],
  ]
  test.each(HOSTILE)('%s', async (_, answer, fault) => {
    const { upstream } = await startVenue(() => answer)
    expect(await faultOf(upstream.send(read()))).toEqual({ fault, sent: true })
    expect(await faultOf(upstream.send(write('POST', { body: '{}' })))).toEqual({
      fault,
      sent: true,
    })
  })

  test('brackets in its texts are no depth, and 64 levels are not too many', async () => {
    const texts = JSON.stringify({ data: ['['.repeat(500), '\\"[['.repeat(200)] })
    const deep = '['.repeat(64) + ']'.repeat(64)
    for (const body of [texts, deep]) {
      const { upstream } = await startVenue(() => ({ body, chunked: true }))
      expect((await upstream.send(read())).body).toBe(body)
    }
  })

  test('all answers together take no more than their share, and give it back', async () => {
    const { promise: allAsked, resolve } = Promise.withResolvers<void>()
    const { venue, upstream } = await startVenue(
      async ({ method }) => {
        if (venue.requests.length === 6) resolve()
        await allAsked
        if (method === 'POST') return { body: '{"success":true}' }
        return { body: JSON_TEXT, truncated: 'stall' }
      },
      { bodiesMaxBytes: { read: 70_000, write: 100_000 } },
    )
    vi.useFakeTimers()
    const faults: string[] = []
    const stalled = Array.from({ length: 5 }, async () => {
      faults.push((await faultOf(upstream.send(read()))).fault)
    })
    const answered = await upstream.send(write('POST', { body: '{}' }))
    expect(answered.status).toBe(200)
    while (faults.length < 2) await yieldToEventLoop()
    expect(faults).toEqual(['saturated', 'saturated'])
    vi.advanceTimersByTime(read().deadlineMs)
    vi.useRealTimers()
    await Promise.all(stalled)
    expect(faults.slice(2)).toEqual(['timeout', 'timeout', 'timeout'])

    const { upstream: whole } = await startVenue(() => ({ body: JSON_TEXT }), {
      bodiesMaxBytes: { read: 70_000, write: 1 },
    })
    for (let round = 0; round < 5; round += 1) {
      expect((await whole.send(read())).body).toBe(JSON_TEXT)
    }
  })
})

describe('connections that the venue drops', () => {
  test('send a read once more at most, however many are kept', async () => {
    let drops = false
    const { promise: allAsked, resolve } = Promise.withResolvers<void>()
    const { venue, upstream } = await startVenue(
      async () => {
        if (drops) return 'close'
        if (venue.requests.length === 12) resolve()
        await allAsked
        return ACCEPTED
      },
      { concurrentMax: 20, writeReserved: 0 },
    )
    await Promise.all(Array.from({ length: 12 }, () => upstream.send(read())))
    expect(venue.openConnections()).toBe(12)
    drops = true
    const before = venue.requests.length
    expect(await faultOf(upstream.send(read()))).toEqual({ fault: 'reset', sent: true })
    expect(venue.requests.length - before).toBeLessThanOrEqual(2)
  })

  test('are kept: reads one after another use one', async () => {
    const { venue, upstream } = await startVenue(() => ACCEPTED)
    for (let call = 0; call < 10; call += 1) await upstream.send(read())
    expect(new Set(venue.requests.map(({ connection }) => connection)).size).toBe(1)
  })
})

/** As many slots and waiting places as prepd has. */
const WIDTHS = {
  concurrentMax: LIMITS.upstreamConcurrentMax,
  writeReserved: LIMITS.upstreamWriteReserved,
  queuedMax: { read: LIMITS.upstreamReadQueuedMax, write: LIMITS.upstreamWriteQueuedMax },
}

// Slow: two thousand reads go over a few connections.
test('2000 reads at once for a venue that answers in 20 ms all have their answer', async () => {
  const { venue, upstream } = await startVenue(() => ({ ...ACCEPTED, delayMs: 20 }), WIDTHS)
  const deadlineMs = LIMITS.upstreamReadDeadlineMs
  const answers = await Promise.all(
    Array.from({ length: 2000 }, () => upstream.send(read('/', { deadlineMs }))),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2000)
  expect(venue.requests).toHaveLength(2000)
})

test('of 60 reads at once those that cannot be answered in time are refused at once, unsent; all others are answered', async () => {
  let nowMs = 0
  const gate = Promise.withResolvers<void>()
  const { venue, upstream } = await startVenue(
    async ({ target }) => {
      nowMs += 1000
      if (target === '/held') await gate.promise
      return ACCEPTED
    },
    { concurrentMax: 4, writeReserved: 0, elapsedMs: () => nowMs },
  )
  for (let call = 0; call < 8; call += 1) await upstream.send(read())
  const refused: number[] = []
  const calls = Array.from({ length: 60 }, async (_, place) => {
    const call = upstream.send(read('/held', { deadlineMs: 10_000 }))
    const { status } = await call.catch((error: UpstreamError) => {
      refused.push(place)
      return { status: `${error.fault} ${error.sent}` }
    })
    return status
  })
  await Bun.sleep(0)
  // Four are sent; of those behind them, nine times four can be followed by a call of a second within ten.
  expect(refused).toEqual(Array.from({ length: 16 }, (_, n) => 44 + n))
  gate.resolve()
  const statuses = await Promise.all(calls)
  expect(statuses.slice(0, 44)).toEqual(Array(44).fill(200))
  expect(statuses.slice(44)).toEqual(Array(16).fill('saturated false'))
  expect(venue.requests).toHaveLength(8 + 44)
})

test('750 writes at once for a venue that answers in 20 ms all have their answer', async () => {
  const { venue, upstream } = await startVenue(() => ({ ...ACCEPTED, delayMs: 20 }), WIDTHS)
  const deadlineMs = LIMITS.upstreamWriteDeadlineMs
  const answers = await Promise.all(
    Array.from({ length: 750 }, () => upstream.send(write('POST', { body: '{}', deadlineMs }))),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(750)
  expect(venue.requests).toHaveLength(750)
})
