import { expect, test } from 'bun:test'
import { flowProfile } from '../../../src/simulator/flow/profile.ts'
import { advanceValueCoarsely, openValue } from '../../../src/simulator/flow/value.ts'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

test('a hidden value has news three times in seven days, each when a minute begins', () => {
  const listed = MARKETS.get('PERP_BTC_USDC')
  if (!listed) throw new RangeError('no market')
  const profile = flowProfile(listed)
  const value = openValue(9, 'BTC', profile, { ticksLog: 13, atMs: 0 })
  const moved = new Map<number, number>()
  for (let atMs = 17_500; atMs < 70 * DAY_MS; atMs += MINUTE_MS) {
    advanceValueCoarsely({ value, referenceLog: 13, common: 1 }, profile, atMs, MINUTE_MS)
    for (const { atMs: newsAtMs, move } of value.news) moved.set(newsAtMs, Math.abs(move))
  }
  const hourly = profile.dailyVolatility / Math.sqrt(24)
  expect(moved.size).toBeWithin(29, 32)
  for (const [atMs, move] of moved) {
    expect(atMs % MINUTE_MS).toBe(0)
    expect(move / hourly).toBeWithin(3, 4)
  }
})
