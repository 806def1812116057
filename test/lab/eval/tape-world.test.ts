// Slow: a market is recorded, and worlds are opened and run.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { startRecording } from '../../../src/lab/recording/recorder.ts'
import { createEmbeddedVenue } from '../../../src/simulator/embedded.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'
import { applyRecord, type TapeBooks } from '../../../src/tapes/books.ts'
import { TAPE_LIMITS } from '../../../src/tapes/records.ts'
import { openTapeWriter } from '../../../src/tapes/write.ts'
import { REAL_WORLD } from '../../operator/real-world.ts'
import { runCommand } from '../../operator/run-command.ts'
import { settingsFolder } from '../../settings-folder.ts'
import { LOG, pass, START_MS, WALL_MS } from '../../simulator/embedded-fixture.ts'
import { recordsIn, tapeOf } from '../../tapes/fixture.ts'

const ETH = 'PERP_ETH_USDC'

let folder: ReturnType<typeof settingsFolder>
let recorded: ReturnType<typeof tapeOf>
beforeAll(async () => {
  folder = settingsFolder()
  recorded = await recordedMinutes(2)
  writeFileSync(folder.path('eth.tape'), recorded.all())
})
afterAll(() => folder[Symbol.dispose]())

/** So many minutes of a simulated market from a time that is on no full second. */
async function recordedMinutes(minutes: number) {
  const venue = createEmbeddedVenue({
    ...{ seed: 1, markets: [ETH], pricesCsv: null, activity: 'normal', time: 'virtual' },
    ...{ tape: null, paper: null },
    ...{
      startMs: START_MS + 423_456,
      faucet: 10_000_000_000n,
      entities: openVenueFile(':memory:'),
    },
    ...{ log: LOG, wallClock: { nowMs: () => WALL_MS }, monotonicMs: () => 0 },
  })
  const file = tapeOf()
  const writer = openTapeWriter(file, TAPE_LIMITS)
  const markets = [{ symbol: ETH, rules: '', priceDecimals: 2, quantityDecimals: 4 }]
  const failed = (error: unknown) => expect(error).toBe(null)
  const { begun, stop } = startRecording({ feed: venue.live, writer, failed, markets })
  await begun
  pass(venue, minutes * 60_000, minutes * 120)
  stop()
  writer.flush()
  return file
}

const FILE = `
name = "taped"
task = "Trade."
seeds = [7, 8]
markets = ["${ETH}"]
tape = "eth.tape"
length = "1m"
step = "15s"
`

/** Runs an agent on the file with further lines. */
async function evaluated(out: string, agent: string, lines = '', file = FILE) {
  const path = folder.write('taped.toml', lines + file)
  const words = ['eval', 'run', path, '--agent', agent, '--out', folder.path(out)]
  return runCommand(folder, words, {}, REAL_WORLD)
}

/** Prints the book, and ends. */
const AGENT = `
import { createInterface } from 'node:readline'
const params = { name: 'get_orderbook', arguments: { symbol: '${ETH}' } }
process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }) + '\\n')
const { value } = await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next()
process.stderr.write(JSON.parse(value).result.content[0].text)
process.exit(0)
`

const runOf = (out: string, seed: number) =>
  JSON.parse(readFileSync(folder.path(`${out}/seed-${seed}.json`), 'utf8'))

/** The best bid and ask that were recorded last before a time. */
function bestAt(ms: number): number[] {
  const books: TapeBooks = new Map()
  for (const record of recordsIn(recorded))
    if (!('atUs' in record) || record.atUs <= ms * 1000) applyRecord(books, record)
  const [book] = books.values()
  const prices = (side: ReadonlyMap<number, number> | undefined) => [...(side?.keys() ?? [])]
  return [Math.max(...prices(book?.bids)) / 100, Math.min(...prices(book?.asks)) / 100]
}

describe('an evaluation on a tape', () => {
  test('plays the recorded market from its start, the same for each seed, and is replayed', async () => {
    const { exitCode } = await evaluated('out', 'hold')
    expect(exitCode).toBe(0)
    const [first, second] = [runOf('out', 7), runOf('out', 8)]
    expect(first.figures).toMatchObject({ orders: 1, positions: 1, finished: 1 })
    expect(first.curve).toEqual(second.curve)
    expect(first.hash).not.toBe(second.hash)
    const firstMs = first.curve.atMs[0]
    expect(Math.abs(firstMs - (START_MS + 423_456))).toBeLessThan(1000)
    expect(first.curve.atMs.at(-1) - firstMs).toBe(60_000)
    const words = ['eval', 'replay', folder.path('taped.toml'), '--out', folder.path('out')]
    const again = await runCommand(folder, words, {}, REAL_WORLD)
    expect(again.lines).toEqual([`seed 7: the same world, ${first.hash}`])
  })

  test('shows the agent the recorded book of the time at which the run begins', async () => {
    const agent = folder.write('agent.mjs', AGENT)
    const command = `${process.execPath} ${agent}`
    const startMs = START_MS + 480_000
    await evaluated('later', command, `start = "2026-01-01T00:08:00Z"\n`)
    expect(runOf('later', 7).curve.atMs[0]).toBe(startMs)
    const { bids, asks } = JSON.parse(readFileSync(folder.path('later/seed-7.errors'), 'utf8'))
    expect([bids[0].price, asks[0].price].map(Number)).toEqual(bestAt(startMs))
    expect(bestAt(startMs)).not.toEqual(bestAt(START_MS + 424_000))
  })
})

describe('an evaluation on a file of prices', () => {
  const START_TEXT = '2026-02-03T00:00:00Z'
  const PRICES_FILE = FILE.replace('tape = "eth.tape"', 'prices = "fall.csv"')
    .replace('seeds = [7, 8]', 'seeds = [7]')
    .replace('length = "1m"', 'length = "4m"')

  /** Five minutes of which each falls by a twentieth of the first price. */
  const fall = () =>
    Array.from({ length: 5 }, (_, minute) => {
      const [open, close] = [3000 - 150 * minute, 2850 - 150 * minute]
      return `${ETH},${Date.parse(START_TEXT) + minute * 60_000},${open},${open},${close},${close},1`
    }).join('\n')

  test.each(['sparse', 'normal'])('falls with it, where %s traders trade', async (activity) => {
    folder.write('fall.csv', fall())
    const lines = `activity = "${activity}"\n`
    const { exitCode } = await evaluated(`fall-${activity}`, 'hold', lines, PRICES_FILE)
    expect(exitCode).toBe(0)
    const { figures, curve } = runOf(`fall-${activity}`, 7)
    expect(curve.atMs[0]).toBe(Date.parse(START_TEXT))
    expect(figures.positions).toBe(1)
    // Four of the five minutes, with fees.
    expect(figures.return).toBeWithin(-0.21, -0.18)
  })

  test.each([
    ['prices = "none.csv"', 'cannot be followed: ENOENT'],
    [
      'prices = "other.csv"',
      `markets: ${ETH} is not on the file of prices, which has PERP_BTC_USDC`,
    ],
    ['start = "2026-02-03T00:02:00Z"', 'start and length must be within the file of prices: from '],
    ['tape = "eth.tape"', 'give tape or prices'],
  ])('is refused by name: %s', async (line, problem) => {
    folder.write('fall.csv', fall())
    folder.write('other.csv', `PERP_BTC_USDC,${START_TEXT},3,3,3,3,1`)
    const [key] = line.split(' ')
    const kept = PRICES_FILE.split('\n').filter((each) => !each.startsWith(`${key} `))
    const { exitCode, lines } = await evaluated('bad', 'hold', `${line}\n`, kept.join('\n'))
    expect(exitCode).toBe(64)
    expect(lines.join('\n')).toContain(problem)
  })
})

describe('an evaluation on a tape is refused by name', () => {
  const within = 'start and length must be within the tape: from 2026-01-01T00:07:03.'
  test.each([
    ['start = "2026-01-01T00:07:03Z"', within],
    ['start = "2026-01-01T00:08:30Z"', within],
    ['activity = "normal"', 'activity is that of the tape: leave it out'],
    ['scenario = "crash.txt"', 'give tape or scenario'],
    ['markets = ["PERP_BTC_USDC"]', `markets: PERP_BTC_USDC is not on the tape, which has ${ETH}`],
    ['tape = "taped.toml"', 'tape cannot be played: '],
    ['tape = "missing.tape"', 'tape cannot be played: '],
  ])('%s', async (line, problem) => {
    const [key] = line.split(' ')
    const kept = FILE.split('\n').filter((each) => !each.startsWith(`${key} `))
    const { exitCode, lines } = await evaluated('bad', 'hold', `${line}\n`, kept.join('\n'))
    expect(exitCode).toBe(64)
    expect(lines.join('\n')).toContain(problem)
  })
})
