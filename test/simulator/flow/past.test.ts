import { describe, expect, test } from 'bun:test'
import { createEmbeddedVenue } from '../../../src/simulator/embedded.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'
import { LOG, START_MS } from '../embedded-fixture.ts'
import { publicGet } from '../trading-wallet.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const SYMBOL = 'PERP_SOL_USDC'

/** A living market on a real clock which is opened late in an hour, and the candles of its minutes. */
function openLate(seed: number) {
  let wallMs = START_MS + 58 * MINUTE_MS + 20_500
  const venue = createEmbeddedVenue({
    ...{ seed, activity: 'normal', markets: [SYMBOL], pricesCsv: null, time: 'real' },
    ...{ tape: null, paper: null },
    ...{ startMs: START_MS, faucet: 0n, wallClock: { nowMs: () => wallMs } },
    ...{ monotonicMs: () => 0, log: LOG, entities: openVenueFile(':memory:') },
  })
  async function minutes(fromMs: number, toMs: number) {
    const range = `from=${fromMs / 1000}&to=${toMs / 1000}`
    const path = `/v1/tv/history?symbol=${SYMBOL}&resolution=1&${range}`
    const { t, c, v } = JSON.parse((await venue.answer(publicGet(path))).body)
    return (t as number[]).flatMap((second, at): { close: number; volume: number }[] =>
      second * 1000 < toMs ? [{ close: Number(c[at]), volume: Number(v[at]) }] : [],
    )
  }
  async function pass(count: number) {
    for (let minute = 0; minute < count; minute += 1) {
      wallMs += MINUTE_MS
      await venue.answer(publicGet('/v1/public/futures'))
      await venue.arrived()
    }
  }
  return { minutes, pass, startedMs: START_MS + 58 * MINUTE_MS }
}

/** The volume of some minutes, and how much their prices move. */
function figuresOf(candles: readonly { close: number; volume: number }[]) {
  let [moved, volume] = [0, 0]
  for (const [at, candle] of candles.entries()) {
    moved += Math.abs(Math.log(candle.close / (candles[at - 1] ?? candle).close))
    volume += candle.volume
  }
  return { moved, volume }
}

describe('the history of a market with an order flow', () => {
  // Slow: four hours of a market, all of their orders.
  test('moves and trades in the hour before the start as in the hour after it', async () => {
    const [moves, volumes]: [number[], number[]] = [[], []]
    for (let seed = 1; seed <= 4; seed += 1) {
      const { minutes, pass, startedMs } = openLate(seed)
      await pass(61)
      const before = figuresOf(await minutes(startedMs - HOUR_MS, startedMs))
      const after = figuresOf(await minutes(startedMs + MINUTE_MS, startedMs + 61 * MINUTE_MS))
      moves.push(Math.log(before.moved / after.moved))
      volumes.push(Math.log(before.volume / after.volume))
    }
    const meanOf = (logs: number[]) => Math.exp(logs.reduce((sum, each) => sum + each, 0) / 4)
    expect(meanOf(moves)).toBeWithin(0.6, 1.7)
    expect(meanOf(volumes)).toBeWithin(0.5, 2)
  })
})
