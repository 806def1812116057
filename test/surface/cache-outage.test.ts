import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { AnswerSpec } from '../recording-upstream.ts'
import { type ClockedTarget, openClocked } from './clocked-target.ts'
import { recordedAnswer, startRecordedVenue } from './recorded-venue.ts'

let answer: AnswerSpec | null
let venue: Awaited<ReturnType<typeof startRecordedVenue>>
let target: ClockedTarget

beforeEach(async () => {
  answer = null
  venue = await startRecordedVenue((request) => answer ?? recordedAnswer(request))
  target = await openClocked({ VENUE: venue.url })
})
afterEach(async () => {
  await target.stop()
  await venue.stop()
})

const MARKETS = '/api/prep/markets'

test('an outage is bridged by what is stale, for a while, and then it is told', async () => {
  const before = await (await target.fetch(MARKETS)).text()
  answer = 'close'
  for (const seconds of [6, 14, 40]) {
    target.advance(seconds * 1000)
    const response = await target.fetch(MARKETS)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(before)
    expect(response.headers.get('cache-status')).toMatch(/^prepd; hit; ttl=-\d+$/)
  }
  target.advance(60_000)
  const gone = await target.fetch(MARKETS)
  expect(gone.status).toBe(502)
  expect(await gone.json()).toMatchObject({ code: 'upstream_unavailable' })
})

test('after an outage the next answer is a new one', async () => {
  await target.fetch(MARKETS)
  answer = 'close'
  target.advance(20_000)
  await target.fetch(MARKETS)
  answer = null
  target.advance(5000)
  const response = await target.fetch(MARKETS)
  expect(response.headers.get('cache-status')).toBe('prepd; fwd=miss; stored')
  expect(response.headers.get('age')).toBe('0')
})

test('who polls more slowly than an answer lives gets a new one every time', async () => {
  const path = '/api/prep/op/markets.list'
  for (const asked of [MARKETS, path]) {
    await target.fetch(asked)
    for (let polls = 0; polls < 5; polls += 1) {
      target.advance(6000)
      const { headers } = await target.fetch(asked)
      expect([asked, headers.get('age'), headers.get('cache-status')]).toEqual([
        asked,
        '0',
        'prepd; fwd=miss; stored',
      ])
    }
  }
})

test('what is nearly at its end is answered at once and renewed behind it', async () => {
  await target.fetch(MARKETS)
  const asked = venue.requests.length
  target.advance(3999)
  expect((await target.fetch(MARKETS)).headers.get('age')).toBe('3')
  expect(venue.requests.length).toBe(asked)
  target.advance(1)
  expect((await target.fetch(MARKETS)).headers.get('age')).toBe('4')
  while (venue.requests.length === asked) await Bun.sleep(1)
  for (let age = '6'; age !== '0'; await Bun.sleep(1)) {
    age = (await target.fetch(MARKETS)).headers.get('age') ?? ''
  }
  expect(venue.requests.length).toBe(asked + 1)
})

test('a venue that says no is not an outage: its word counts once an answer is no longer fresh enough', async () => {
  const path = '/api/prep/op/markets.get?symbol=PERP_BTC_USDC'
  await target.fetch(path)
  answer = { json: { success: true, timestamp: 1 } }
  target.advance(11_000)
  expect((await target.fetch(path)).status).toBe(404)
})

test('age counts from when the venue answered', async () => {
  await target.fetch('/api/prep/config')
  target.advance(90_500)
  const response = await target.fetch('/api/prep/config')
  expect(response.headers.get('age')).toBe('90')
  expect(response.headers.get('cache-status')).toBe('prepd; hit; ttl=3510')
})
