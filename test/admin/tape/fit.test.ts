import { afterAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { figureRows, profileRows } from '../../../src/admin/tape/fit.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'
import { createObserver, observeTape } from '../../../src/tape/observe.ts'
import type { TapeRecord } from '../../../src/tape/records.ts'
import {
  correlation,
  finiteOf,
  flowsOf,
  moves,
  spreadWithVolatility,
} from '../../../src/tape/statistics.ts'
import { openTapeWriter } from '../../../src/tape/write.ts'
import { startRecording } from '../../../src/upstream/recording/recorder.ts'
import { createEmbeddedVenue } from '../../../src/venue/embedded.ts'
import { PROFILES } from '../../../src/venue/flow/profile.ts'
import { settingsFolder } from '../../settings-folder.ts'
import { marketRecord, tapeOf, written } from '../../tape/fixture.ts'
import { LOG, pass, START_MS, WALL_MS } from '../../venue/embedded-fixture.ts'
import { runCommand } from '../run-command.ts'

const BTC = 'PERP_BTC_USDC'
const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

function fileOf(name: string, bytes: Uint8Array): string {
  const path = folder.path(name)
  writeFileSync(path, bytes)
  return path
}

const MARKET: TapeRecord = {
  ...{ kind: 'market', market: 0, symbol: BTC, rules: '' },
  ...{ priceDecimals: 1, quantityDecimals: 3 },
}

const fitted = (...argv: string[]) => runCommand(folder, ['tape', 'fit', ...argv])

/** The tape that a recording of the embedded venue makes in some minutes. */
async function recorded(minutes: number): Promise<Uint8Array> {
  const venue = createEmbeddedVenue({
    ...{ seed: 3, markets: [BTC], pricesCsv: null, activity: 'normal', time: 'virtual' },
    ...{ startMs: START_MS + 13 * 3_600_000, faucet: 10_000_000_000n, log: LOG },
    ...{ entities: openVenueFile(':memory:'), wallClock: { nowMs: () => WALL_MS } },
    monotonicMs: () => 0,
  })
  pass(venue, 300_000)
  const tape = tapeOf()
  const writer = openTapeWriter(tape)
  const failed = (error: unknown) => expect(error).toBe(null)
  const markets = [{ symbol: BTC, rules: '', priceDecimals: 1, quantityDecimals: 5 }]
  const { begun, stop } = startRecording({ feed: venue.live, writer, failed, markets })
  await begun
  pass(venue, minutes * 60_000, minutes * 60)
  stop()
  writer.flush()
  return tape.all()
}

describe('tape fit', () => {
  test('prints each parameter of the profile with its unit', () => {
    const [profile] = PROFILES
    const rows = profile && profileRows({ ...profile, dailyTurnoverUsdc: 1_234_567 })
    expect(rows).toContainEqual(['gridMs', '250', 'ms'])
    expect(rows).toContainEqual(['dailyTurnoverUsdc', '1235000', 'USDC a day'])
    const names = rows?.slice(1).map(([name]) => name)
    expect(names?.sort()).toEqual([...Object.keys(profile ?? {}), 'dailyTurnoverUsdc'].sort())
  })

  // Slow: a market of twelve minutes is recorded, and simulated again for each seed and round of the fit.
  test('of a recording of the embedded venue gives back what its profile shows', async () => {
    const path = fileOf('btc.tape', await recorded(12))
    const { lines, exitCode } = await fitted(path, '--json')
    expect(exitCode).toBe(0)
    const { symbol, minutes, profile, figures } = JSON.parse(lines[0] ?? '')
    expect(minutes).toBe(12)
    const ratio = (name: string) => {
      const { tape, model } = figures.find((figure: { name: string }) => figure.name === name)
      return Math.abs(model / tape - 1)
    }
    expect(symbol).toBe(BTC)
    expect(ratio('spread, median, bp')).toBeLessThan(0.15)
    expect(ratio('orders that traded a minute')).toBeLessThan(0.1)
    expect(ratio('volatility of minutes, as of a day')).toBeLessThan(0.25)
    expect(ratio('their value, geometric mean, USDC')).toBeLessThan(0.25)
    // Figures that nothing is fitted to.
    expect(ratio('variation of the gaps between them')).toBeLessThan(0.3)
    expect(ratio('changes of the best prices a minute, seen once a second')).toBeLessThan(0.3)
    expect(profile).toMatchObject({ gridMs: 250, isFilled: true })
    expect(profile.rate).toBeWithin(0.5, 2)
    // It says what twelve minutes are too short for, and from how long on they would not be.
    const short = figures.filter(({ fromMinutes }: { fromMinutes: number }) => fromMinutes !== null)
    expect(short).toContainEqual({
      ...{ name: 'kurtosis of hourly moves', tape: null, model: null },
      ...{ fromMinutes: 2880, isMissed: false },
    })
    expect(short).toHaveLength(9)
    expect(figureRows(figures).filter(([, , , note]) => note?.startsWith('from '))).toHaveLength(9)
  })

  // Slow: a small market is simulated for each seed and round of the fit.
  test('ends with 1 and says which figure no model meets, such as a price that never moves', async () => {
    const book = (atUs: number): TapeRecord => ({
      ...{ kind: 'book', market: 0, atUs, isWhole: true },
      ...{ bids: [600_000, 5000], asks: [600_001, 6000] },
    })
    const trades = Array.from(
      { length: 60 },
      (_, at): TapeRecord => ({
        ...{ kind: 'trade', market: 0, atUs: (at + 1) * 10e6, side: at % 2 ? 'BUY' : 'SELL' },
        ...{ price: 600_000 + (at % 2), quantity: 10 },
      }),
    )
    const path = fileOf('still.tape', written([MARKET, book(5e6), ...trades, book(670e6)]))
    const { lines, exitCode } = await fitted(path)
    expect(exitCode).toBe(1)
    const still = lines.find((line) => line.startsWith('volatility of minutes'))
    expect(still).toEndWith('missed: should be within 25 %; a longer tape says more')
    expect(lines.find((line) => line.startsWith('kurtosis'))).toEndWith('from 48 h of tape on')
    expect(lines.find((line) => line.startsWith('their value, median'))).not.toContain('tape')
  })

  test('refuses a tape that is too short, has several markets, or a market that no venue simulates', async () => {
    const book = (market: number, atUs: number): TapeRecord => ({
      ...{ kind: 'book', market, atUs, isWhole: true },
      ...{ bids: [1000, 5], asks: [1001, 6] },
    })
    const path = fileOf('short.tape', written([MARKET, book(0, 5e6), book(0, 90e6)]))
    expect(await fitted(path)).toEqual({
      lines: [
        `fitting ${BTC}`,
        `a fit needs 10 minutes of the whole book and 50 orders that traded: this tape has 1 and 0 of ${BTC}`,
      ],
      exitCode: 1,
    })
    const several = fileOf('several.tape', written([MARKET, marketRecord(1), book(1, 5e6)]))
    expect(await fitted(several)).toEqual({
      lines: [`--market must be one of the tape's markets: ${BTC}, PERP_M1_USDC`],
      exitCode: 1,
    })
    expect((await fitted(several, '--market', 'PERP_M2_USDC')).lines).toEqual([
      `this tape has no market PERP_M2_USDC: it has ${BTC}, PERP_M1_USDC`,
    ])
    expect((await fitted(several, '--market', 'PERP_M1_USDC')).lines[0]).toContain('PERP_ETH_USDC')
    expect((await fitted(several, '--market', BTC)).lines).toEqual([
      `${several}: this tape has no second of the whole book of ${BTC}`,
    ])
  })
})

test('what is observed leaves a gap out, and takes trades of one side and moment for one order', () => {
  const at = (seconds: number) => seconds * 1e6
  const records: TapeRecord[] = [
    MARKET,
    { kind: 'book', market: 0, atUs: at(1), isWhole: true, bids: [1000, 5], asks: [1001, 6] },
    { kind: 'trade', market: 0, atUs: at(2), side: 'BUY', price: 1001, quantity: 2 },
    { kind: 'trade', market: 0, atUs: at(2), side: 'BUY', price: 1002, quantity: 1 },
    { kind: 'trade', market: 0, atUs: at(2), side: 'SELL', price: 1000, quantity: 1 },
    { kind: 'gap', market: 0, fromUs: at(10), atUs: at(130), cause: 'connection' },
    { kind: 'book', market: 0, atUs: at(130), isWhole: true, bids: [1002, 5], asks: [1003, 6] },
    { kind: 'book', market: 0, atUs: at(200), isWhole: false, bids: [], asks: [] },
  ]
  const { seen, firstMs, lastMs } = observeTape(readerOf(records), BTC)
  expect([firstMs, lastMs]).toEqual([1000, 200_000])
  expect(seen.prints.map(({ side, quantity }) => [side, quantity])).toEqual([
    [1, 0.003],
    [-1, 0.001],
  ])
  expect(seen.spreads).toHaveLength(200)
  expect(finiteOf(seen.spreads)).toHaveLength(10 + 70)
  expect(seen.middles.map(Number.isNaN)).toEqual([true, true, false])
  expect(seen.bestChanges).toBe(0)
})

function readerOf(records: readonly TapeRecord[]) {
  const left = [...records]
  return { next: () => left.shift() ?? null }
}

test('a minute of flow is that of the move, and an hour of spreads that of the volatility, whatever the tape begins with', () => {
  const beganAtMs = 1_700_000_017_000
  const { trade, look, seen } = createObserver()
  const side = (minute: number) => (minute % 3 === 0 ? 1 : -1)
  let bid = 1000
  for (let second = 1; second <= 4 * 3600; second += 1) {
    const atMs = beganAtMs + second * 1000
    const minute = Math.floor((second - 1) / 60)
    const hour = Math.floor(minute / 60)
    // The first trade comes minutes after the first book, and an hour is unknown.
    if (second % 60 === 1 && minute > 4) {
      trade(atMs, side(minute), bid, 1)
      bid += side(minute) * (hour + 1)
    }
    const best = { bid, ask: bid + hour + 1, bidQuantity: 1, askQuantity: 1 }
    look(hour === 1 ? null : best, atMs)
  }
  const { middles, spreads } = seen()
  expect(correlation(moves(middles, 1), flowsOf(seen()).slice(1))).toBeGreaterThan(0.8)
  expect([spreads, middles].map(({ length }) => length)).toEqual([4 * 3600, 240])
  expect(spreadWithVolatility(seen())).toBeGreaterThan(0.99)
})
