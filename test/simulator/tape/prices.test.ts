import { expect, test } from 'bun:test'
import { checkExchange } from '../../../src/simulator/engine/check.ts'
import { REQUESTS } from '../../../src/simulator/engine/requests.ts'
import { totalAccountValue } from '../../../src/simulator/ledger/balances.ts'
import type { TapeRecord } from '../../../src/tapes/records.ts'
import { BEGIN_MS, book, MIDDLE, playing, whole } from './fixture.ts'

const HOUR_MS = 3_600_000

test('a played tape marks positions at the recorded mark, charges the recorded funding', () => {
  const mark = (ms: number, ticks: number): TapeRecord => ({
    ...{ kind: 'mark', market: 0, atUs: (BEGIN_MS + ms) * 1000 },
    price: { value: MIDDLE + ticks, decimals: 1 },
  })
  const rate = { value: -5, decimals: 4 }
  const { to, order, account, restart, world } = playing([
    whole(0, [[-1, 1e9]], [[1, 1e9]]),
    mark(1, 7),
    { kind: 'funding', market: 0, atUs: (BEGIN_MS + 2) * 1000, rate, nextUs: 0 },
    mark(HOUR_MS * 9, -60_000),
    book(HOUR_MS * 10, [], []),
  ])
  to(2)
  order('BUY', 1, 1_000_000)
  const market = () => world().scenes[0]?.market
  restart()
  expect(market()?.mark).toBe(MIDDLE + 7)
  REQUESTS.shock(world(), { market: 0, share: 0.01 }, world().nowMs)
  to(60_000)
  const scaled = Math.round((MIDDLE + 7) * 1.01)
  expect(market()?.mark).toBe(scaled)
  const before = totalAccountValue(world(), account())
  to(8 * HOUR_MS)
  // Whoever is long is paid at a negative rate: 10 BTC at the mark.
  const paid = totalAccountValue(world(), account()) - before
  expect(paid / 1e6).toBeCloseTo(((scaled * 10) / 10) * 0.0005, 2)
  to(HOUR_MS * 9)
  expect(market()?.mark).toBe(Math.round((MIDDLE - 60_000) * 1.01))
  expect(checkExchange(world().exchange)).toEqual([])
})
