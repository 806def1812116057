import { expect, test } from 'bun:test'
import { startRecording } from '../../../src/lab/recording/recorder.ts'
import { createEmbeddedVenue, type EmbeddedVenue } from '../../../src/simulator/embedded.ts'
import { isReadableWorld } from '../../../src/simulator/engine/persist/log.ts'
import {
  playsAll,
  startTape,
  tapeProblems,
  tapeRefusal,
} from '../../../src/simulator/world-choices.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'
import { inspectTape } from '../../../src/tapes/inspect.ts'
import { openRecorded, type RecordedTape } from '../../../src/tapes/recorded.ts'
import { TAPE_LIMITS } from '../../../src/tapes/records.ts'
import { openTapeWriter } from '../../../src/tapes/write.ts'
import { settingsFolder } from '../../settings-folder.ts'
import { marketRecord, recordsIn, tapeOf, written } from '../../tapes/fixture.ts'
import { pass, START_MS, WALL_MS } from '../embedded-fixture.ts'
import { BEGIN_MS, MARKET, trade, whole } from './fixture.ts'

const ETH = 'PERP_ETH_USDC'
const MARKETS = [{ symbol: ETH, rules: '', priceDecimals: 2, quantityDecimals: 4 }]
const logged: string[] = []
const ignore = () => undefined
const LOG = {
  error: ignore,
  warn: (event: string) => void logged.push(event),
  info: ignore,
  debug: ignore,
}

function open(tape: RecordedTape | null, entities = openVenueFile(':memory:')) {
  return createEmbeddedVenue({
    ...{ seed: 1, markets: [ETH], pricesCsv: null, activity: 'normal', tape, time: 'virtual' },
    paper: null,
    // Not on the hour, at which worlds begin.
    ...{ startMs: START_MS + 423_000, faucet: 10_000_000_000n, entities, log: LOG },
    ...{ wallClock: { nowMs: () => WALL_MS }, monotonicMs: () => 0 },
  })
}

/** The books and trades that a venue publishes in half a minute and its book then; and a tape that goes on for a second. */
async function recordingOf(venue: EmbeddedVenue) {
  const file = tapeOf()
  const writer = openTapeWriter(file, TAPE_LIMITS)
  const failed = (error: unknown) => expect(error).toBe(null)
  const { begun, stop } = startRecording({ feed: venue.live, writer, failed, markets: MARKETS })
  await begun
  pass(venue, 30_000, 150)
  const { data } = await venue.live.book(ETH)
  writer.flush()
  const records = recordsIn(file)
  pass(venue, 1000, 5)
  stop()
  writer.flush()
  return { file, data, records, hash: inspectTape(tapeOf(written(records))).hash }
}

test('a recorded run of the embedded venue, played without users, publishes the same books and trades', async () => {
  const original = await recordingOf(open(null))
  const tape = openRecorded(original.file)
  const entities = openVenueFile(':memory:')
  const venue = open(tape, entities)
  const again = await recordingOf(venue)
  expect(original.records.length).toBeGreaterThan(30)
  expect(again.records).toEqual(original.records)
  expect(again.hash).toBe(original.hash)
  expect(again.data).toEqual(original.data)
  const { broken } = await venue.check()
  expect(broken).toEqual([])
})

test('a tape begins in a world with its first whole book, whatever was recorded before it', () => {
  const before = [trade(0, 'BUY', 0, 1), trade(90_000, 'SELL', 0, 1)]
  const book = whole(120_500, [[-1, 5]], [[1, 5]])
  const records = [MARKET, ...before, book, trade(121_000, 'BUY', 1, 1)]
  const recorded = openRecorded(tapeOf(written(records)))
  expect([recorded.firstUs, recorded.wholeUs]).toEqual(
    [BEGIN_MS, BEGIN_MS + 120_500].map((ms) => ms * 1000),
  )
  const entities = openVenueFile(':memory:')
  expect(startTape(entities, recorded, BEGIN_MS).startsAtMs).toBe(BEGIN_MS - 120_500)
  // The same where the world is opened again later.
  expect(startTape(entities, recorded, BEGIN_MS + 5000).startsAtMs).toBe(BEGIN_MS - 120_500)
  const booksAlone = openRecorded(tapeOf(written([MARKET, ...before])))
  expect(booksAlone.wholeUs).toBe(booksAlone.firstUs)
})

test('a stored world goes on with its tape, opens with no other, and keeps simulated traders', async () => {
  const { file } = await recordingOf(open(null))
  const tape = openRecorded(file)
  const entities = openVenueFile(':memory:')
  const venue = open(tape, entities)
  venue.exchange.simulation()
  pass(venue, 10_000)
  venue.exchange.save()
  const { hash } = await venue.check()
  expect(tapeRefusal(entities, tape)).toBe(null)
  expect((await open(tape, entities).check()).hash).toBe(hash)
  expect(tapeRefusal(entities, null)).toContain('PREPD_VENUE_TAPE')
  const simulated = openVenueFile(':memory:')
  open(null, simulated)
  expect(tapeRefusal(simulated, tape)).toBe(null)
  open(tape, simulated)
  expect(logged).toContain('venue_tape_kept')
})

test('a stored world of an earlier order flow goes on where all of its markets are played, and only there', async () => {
  const { file } = await recordingOf(open(null))
  const tape = openRecorded(file)
  const earlier = (entities: ReturnType<typeof openVenueFile>) =>
    entities.commit([{ kind: 'venue-activity', key: 'normal', json: '"lively-past"' }])
  const entities = openVenueFile(':memory:')
  const venue = open(tape, entities)
  venue.exchange.simulation()
  pass(venue, 10_000)
  venue.exchange.save()
  const { hash } = await venue.check()
  earlier(entities)
  expect(isReadableWorld(entities, !playsAll(entities, tape))).toBe(true)
  expect((await open(tape, entities).check()).hash).toBe(hash)
  expect(playsAll(entities, null)).toBe(false)
  expect(playsAll(entities, { ...tape, symbols: new Set(['PERP_BTC_USDC']) })).toBe(false)
  const simulated = openVenueFile(':memory:')
  open(null, simulated).exchange.simulation()
  earlier(simulated)
  expect(isReadableWorld(simulated, !playsAll(simulated, tape))).toBe(false)
})

test('a file that cannot be played is named before the start', async () => {
  const folder = settingsFolder()
  const { file } = await recordingOf(open(null))
  const path = folder.path('eth.tape')
  await Bun.write(path, file.all())
  expect(tapeProblems(path)).toEqual([])
  await Bun.write(path, written([{ ...marketRecord(0) }, TRADE]))
  expect(tapeProblems(path)).toEqual([expect.stringContaining('lacks all of the markets: ')])
  await Bun.write(path, written([]))
  expect(tapeProblems(path)).toEqual([expect.stringContaining('this tape has no records')])
  await Bun.write(path, 'no tape at all, but of some length')
  expect(tapeProblems(path)).toEqual([expect.stringContaining('this file is no tape')])
  expect(tapeProblems(folder.path('absent'))).toEqual([
    expect.stringContaining('absent is not there'),
  ])
  folder[Symbol.dispose]()
})

const TRADE = { kind: 'trade', market: 0, atUs: 5, side: 'BUY', price: 1, quantity: 1 } as const
