import { afterAll, expect, test } from 'bun:test'
import { applyRecord, type TapeBooks } from '../../../src/tapes/books.ts'
import { openTapeFile } from '../../../src/tapes/file.ts'
import type { TapeRecord } from '../../../src/tapes/records.ts'
import { runCommand } from '../../operator/run-command.ts'
import { settingsFolder } from '../../settings-folder.ts'
import { recordsIn } from '../../tapes/fixture.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

const START_MS = Date.UTC(2026, 0, 1, 23, 30)
const SECONDS = 3600
const BOOK_HEAD = 'symbol,timestamp,local_timestamp,is_snapshot,side,price,amount'
const TRADE_HEAD = 'symbol,timestamp,local_timestamp,side,price,amount'

type Row = { readonly ms: number; readonly rest: string }

/** The four levels of each side that the made-up market has in a second: they move by the second, and their sizes too. */
function levelsAt(second: number): Row[] {
  const middle = 50_000 + (second % 97) - (second % 13)
  return [-4, -3, -2, -1, 1, 2, 3, 4].map((step) => ({
    ms: START_MS + second * 1000,
    rest: `${step < 0 ? 'bid' : 'ask'},${middle + step},${1 + ((second + step + 8) % 5)}`,
  }))
}

const key = (rest: string) => rest.slice(0, rest.lastIndexOf(','))

/** A snapshot, then each second what changes, a level that goes with the amount zero. */
function changes(): Row[] {
  const rows = levelsAt(0).map(({ ms, rest }) => ({ ms, rest: `true,${rest}` }))
  for (let second = 1; second < SECONDS; second += 1) {
    const [before, now] = [levelsAt(second - 1), levelsAt(second)]
    const kept = new Set(now.map(({ rest }) => key(rest)))
    const known = new Set(before.map(({ rest }) => rest))
    const ms = START_MS + second * 1000
    for (const { rest } of before)
      if (!kept.has(key(rest))) rows.push({ ms, rest: `false,${key(rest)},0` })
    for (const { rest } of now) if (!known.has(rest)) rows.push({ ms, rest: `false,${rest}` })
  }
  return rows
}

const snapshots = () =>
  Array.from({ length: SECONDS }, (_, second) => levelsAt(second))
    .flat()
    .map(({ ms, rest }) => ({ ms, rest: `true,${rest}` }))

const trades = () =>
  Array.from({ length: 60 }, (_, minute) => ({
    ms: START_MS + minute * 60_000 + 30_000,
    rest: `${minute % 2 ? 'buy' : 'sell'},${50_000 + minute},0.5`,
  }))

const iso = (ms: number) => new Date(ms).toISOString()
const MICROSECONDS = (ms: number) => `${ms}000`

const table = (head: string, rows: readonly Row[], time: (ms: number) => string) =>
  `${[head, ...rows.map(({ ms, rest }) => `BTCUSDT,${time(ms)},${time(ms)},${rest}`)].join('\n')}\n`

let made = 0
async function imported(books: string, sold: string) {
  made += 1
  const [tape, booksPath, tradesPath] = ['tape', 'books', 'trades'].map((end) =>
    folder.path(`${made}.${end}`),
  )
  await Bun.write(booksPath ?? '', books)
  await Bun.write(tradesPath ?? '', sold)
  const argv = [
    'tape',
    'import',
    tape ?? '',
    '--books',
    booksPath ?? '',
    '--trades',
    tradesPath ?? '',
  ]
  const answer = await runCommand(folder, [...argv, '--market', 'PERP_BTC_USDC'])
  if (answer.exitCode !== 0) return { ...answer, records: [] }
  const file = openTapeFile(tape ?? '', 'read')
  try {
    return { ...answer, records: recordsIn(file) }
  } finally {
    file.close()
  }
}

const WAYS: Readonly<Record<string, (ms: number) => string>> = {
  seconds: (ms) => String(ms / 1000),
  milliseconds: String,
  nanoseconds: (ms) => `${ms}000000`,
  'UTC with its zone': iso,
  'UTC without a zone': (ms) => iso(ms).slice(0, 19).replace('T', ' '),
  'the zone of Berlin': (ms) => iso(ms + 3_600_000).replace('Z', '+01:00'),
  'the zone of St. John’s': (ms) =>
    iso(ms - 12_600_000)
      .slice(0, 19)
      .replace('T', ' ')
      .concat('-03:30'),
}

test.each(Object.keys(WAYS))('an hour that was saved again in %s is the same tape', async (way) => {
  const one = await imported(
    table(BOOK_HEAD, changes(), MICROSECONDS),
    table(TRADE_HEAD, trades(), MICROSECONDS),
  )
  const time = WAYS[way] ?? String
  const other = await imported(table(BOOK_HEAD, changes(), time), table(TRADE_HEAD, trades(), time))
  expect(one.records.length).toBeGreaterThan(SECONDS)
  expect(other.records).toEqual(one.records)
})

/** The books and trades of each moment. */
function seen(records: readonly TapeRecord[]) {
  const books: TapeBooks = new Map()
  const moments = new Map<number, unknown>()
  for (const record of records) {
    applyRecord(books, record)
    if (record.kind === 'market') continue
    const [state] = books.values()
    const sides = [state?.bids, state?.asks].map((side) =>
      [...(side ?? [])].sort(([a], [b]) => a - b),
    )
    moments.set(record.atUs, sides)
  }
  return [[...moments], records.filter(({ kind }) => kind === 'trade')]
}

test('an hour that was saved as snapshots alone has the same books: four levels a side, never more', async () => {
  const sold = table(TRADE_HEAD, trades(), MICROSECONDS)
  const one = await imported(table(BOOK_HEAD, changes(), MICROSECONDS), sold)
  const other = await imported(table(BOOK_HEAD, snapshots(), MICROSECONDS), sold)
  expect(seen(other.records)).toEqual(seen(one.records))
  expect(other.records.every(({ kind }) => kind !== 'gap')).toBe(true)
})

test('an hour that is out of order is refused by the row, and so are coarser times of its snapshots', async () => {
  const sold = table(TRADE_HEAD, trades(), MICROSECONDS)
  const backwards = await imported(table(BOOK_HEAD, snapshots().reverse(), MICROSECONDS), sold)
  expect(backwards).toMatchObject({
    exitCode: 1,
    lines: [expect.stringMatching(/^row 9 of .* sort the table by it$/)],
  })
  const turned = trades()
  turned.splice(10, 0, ...turned.splice(40, 1))
  const shuffled = await imported(
    table(BOOK_HEAD, changes(), MICROSECONDS),
    table(TRADE_HEAD, turned, MICROSECONDS),
  )
  expect(shuffled).toMatchObject({
    exitCode: 1,
    lines: [expect.stringMatching(/^row 12 of .* sort the table by it$/)],
  })
  const minutes = (ms: number) => iso(ms).slice(0, 16)
  const coarse = await imported(table(BOOK_HEAD, snapshots(), minutes), sold)
  expect(coarse).toMatchObject({
    exitCode: 1,
    lines: [expect.stringMatching(/^row \d+ of .* two quantities: its times are too coarse$/)],
  })
})

test('a time of no known unit is refused with the row, the column and the units', async () => {
  const time = (ms: number) => `${ms}0`
  const answer = await imported(
    table(BOOK_HEAD, changes(), time),
    table(TRADE_HEAD, trades(), time),
  )
  expect(answer).toMatchObject({
    exitCode: 1,
    lines: [
      expect.stringMatching(
        /^row 1 of .*: timestamp must be seconds, milli-, micro- or nanoseconds/,
      ),
    ],
  })
})
