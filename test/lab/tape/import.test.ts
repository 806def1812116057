import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { figureText, parseFigure } from '../../../src/tapes/figures.ts'
import { openTapeFile } from '../../../src/tapes/file.ts'
import type { TapeRecord } from '../../../src/tapes/records.ts'
import { runCommand } from '../../operator/run-command.ts'
import { settingsFolder } from '../../settings-folder.ts'
import { recordsIn, written } from '../../tapes/fixture.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())
const T = 1_767_225_600_000_000
const BOOK_HEAD = 'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount'
const TRADE_HEAD = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount'

type Row = readonly [atUs: number, localUs: number, ...rest: (string | boolean)[]]

function table(head: string, rows: readonly Row[], symbol = 'BTCUSDT'): string {
  const lines = rows.map(([atUs, localUs, ...rest]) =>
    ['venue', symbol, T + atUs, T + localUs, ...rest].join(','),
  )
  return `${[head, ...lines].join('\n')}\n`
}

const BOOKS = table(BOOK_HEAD, [
  [0, 1, false, 'bid', '90', '1'],
  [2, 3, true, 'bid', '100.5', '1'],
  [2, 3, true, 'ask', '101', '2.25'],
  [2, 4, true, 'ask', '102', '7'],
  [6, 7, false, 'bid', '100.5', '0'],
  [6, 7, false, 'bid', '100.25', '3'],
  [20, 21, true, 'bid', '99', '1'],
])
const TRADES = table(TRADE_HEAD, [
  [4, 5, 'a', 'buy', '101', '0.5'],
  [5, 6, 'b', 'unknown', '101', '0.5'],
  [8, 9, 'c', 'sell', '100.25', '1e-1'],
])

let made = 0
async function importOf(
  files: { books?: string | Uint8Array; trades?: string },
  ...argv: string[]
) {
  made += 1
  const tape = folder.path(`${made}.tape`)
  return { tape, ...(await importInto(tape, files, ...argv)) }
}

async function importInto(
  tape: string,
  files: { books?: string | Uint8Array; trades?: string },
  ...argv: string[]
) {
  const flags = await Promise.all(
    Object.entries(files).map(async ([kind, content]) => {
      made += 1
      const path = folder.path(`${made}.${kind}`)
      await Bun.write(path, content)
      return [`--${kind}`, path]
    }),
  )
  return runCommand(folder, ['tape', 'import', tape, ...flags.flat(), ...argv])
}

function recordsAt(path: string): TapeRecord[] {
  const file = openTapeFile(path, 'read')
  try {
    return recordsIn(file)
  } finally {
    file.close()
  }
}

function briefly(record: TapeRecord): string {
  if (record.kind === 'market')
    return `market ${record.symbol} ${record.priceDecimals} ${record.quantityDecimals}`
  const at = record.atUs - T
  if (record.kind === 'book')
    return `${at} ${record.isWhole ? 'whole' : 'book'} ${record.bids} | ${record.asks}`
  if (record.kind === 'trade') return `${at} ${record.side} ${record.quantity} at ${record.price}`
  return record.kind === 'gap' ? `gap ${record.fromUs - T}-${at} ${record.cause}` : record.kind
}

const IMPORTED = [
  'market PERP_BTC_USDC 0 0',
  'market PERP_BTC_USDC 1 2',
  '2 whole 1005,100 | 1010,225',
  '2 whole  | 1020,700',
  '4 BUY 50 at 1010',
  'market PERP_BTC_USDC 2 2',
  '6 book 10050,0,10025,300 | ',
  '8 SELL 10 at 10025',
  'gap 8-20 source',
  '20 whole 9900,100 | ',
]

describe('tape import', () => {
  test('merges books and trades, groups rows of one message, and marks where a source began again', async () => {
    const { tape, lines } = await importOf(
      { books: BOOKS, trades: TRADES },
      '--market',
      'PERP_BTC_USDC',
    )
    expect(recordsAt(tape).map(briefly)).toEqual(IMPORTED)
    expect(lines).toEqual(
      expect.arrayContaining(['books    4', 'trades   2', 'gaps     1', 'skipped  2']),
    )
  })

  test('reads gzip and Parquet', async () => {
    const packed = { books: Bun.gzipSync(BOOKS), trades: TRADES }
    const { tape } = await importOf(packed, '--market', 'PERP_BTC_USDC')
    expect(recordsAt(tape).map(briefly)).toEqual(IMPORTED)
    const parquet = new Uint8Array(await Bun.file(join(import.meta.dir, 'books.parquet')).bytes())
    const columns = await importOf({ books: parquet })
    expect(recordsAt(columns.tape).map(briefly)).toEqual([
      'market BTCUSDT 0 0',
      'market BTCUSDT 1 2',
      '0 whole 900001,50 | 900002,125',
      '1000 book  | 900002,0',
    ])
  })

  test('goes on with a tape after a gap', async () => {
    const { tape } = await importOf({ trades: TRADES })
    const later = table(TRADE_HEAD, [[50, 51, 'd', 'buy', '1', '2']])
    expect((await importInto(tape, { trades: later })).exitCode).toBe(0)
    expect(recordsAt(tape).map(briefly).slice(-2)).toEqual(['gap 8-50 source', '50 BUY 20 at 100'])
  })

  test('keeps the rules of a market that was recorded', async () => {
    const rules = '{"symbol":"BTCUSDT","quote_tick":"0.1"}'
    const market = { kind: 'market', market: 0, symbol: 'BTCUSDT', rules } as const
    const trade = {
      kind: 'trade',
      market: 0,
      atUs: T,
      side: 'BUY',
      price: 1010,
      quantity: 5,
    } as const
    const tape = folder.path('recorded.tape')
    await Bun.write(tape, written([{ ...market, priceDecimals: 1, quantityDecimals: 1 }, trade]))
    expect((await importInto(tape, { trades: TRADES })).exitCode).toBe(0)
    const markets = recordsAt(tape).filter((record) => record.kind === 'market')
    expect(markets.map((each) => each.rules)).toEqual([rules, rules])
  })

  test('refuses tables that begin before the end of the tape, which then stays as it was', async () => {
    const day = (atUs: number) => table(TRADE_HEAD, [[atUs, atUs, 'a', 'buy', '1', '2']])
    const { tape } = await importOf({ trades: day(3_600_000_000) })
    const before = recordsAt(tape)
    const again = await importInto(tape, { trades: day(0) })
    expect(again.exitCode).toBe(1)
    expect(again.lines).toEqual([
      expect.stringMatching(/^BTCUSDT is on the tape until .*, and the files begin before, at /),
    ])
    expect(recordsAt(tape)).toEqual(before)
    expect((await importInto(tape, { trades: day(3_599_000_000) })).exitCode).toBe(0)
  })

  test('names the file that is cut in its packing', async () => {
    const { lines, exitCode } = await importOf({ books: Bun.gzipSync(BOOKS).slice(0, -12) })
    expect(exitCode).toBe(1)
    expect(lines).toEqual([expect.stringMatching(/\.books cannot be read: /)])
    const parquet = await Bun.file(join(import.meta.dir, 'books.parquet')).bytes()
    const cut = await importOf({ books: parquet.slice(0, 400) })
    expect(cut.lines).toEqual([expect.stringMatching(/\.books cannot be read: /)])
  })

  test('names the row that is malformed and keeps those before it', async () => {
    const bad: Row[][] = [
      [[0, 1, 'maybe', 'bid', '1', '1']],
      [[0, 1, true, 'buy', '1', '1']],
      [[0.5, 1, true, 'bid', '1', '1']],
      [[0, Number.NaN, true, 'bid', '1', '1']],
    ]
    for (const rows of bad) {
      const { tape, lines, exitCode } = await importOf({ books: table(BOOK_HEAD, rows) })
      expect({ line: lines[0], exitCode, isLeft: existsSync(tape) }).toEqual({
        line: expect.stringContaining('row 1 of'),
        exitCode: 1,
        isLeft: false,
      })
    }
    const figures = table(TRADE_HEAD, [
      [0, 1, 'a', 'buy', '1', '1'],
      [0, 2, 'b', 'buy', 'free', '1'],
    ])
    const { tape, lines } = await importOf({ trades: figures })
    expect(lines).toEqual(['no figure that a tape can hold: free'])
    expect(recordsAt(tape).map(briefly)).toEqual(['market BTCUSDT 0 0', '0 BUY 1 at 1'])
  })

  test('that fails leaves no new tape behind, and one that was there as it was', async () => {
    const bad = table(TRADE_HEAD, [[0, 1, 'a', 'buy', 'free', '1']])
    const { tape } = await importOf({ trades: bad })
    expect(existsSync(tape)).toBe(false)
    await importInto(tape, { trades: TRADES })
    const before = recordsAt(tape)
    const absent = folder.path('absent.csv')
    const answer = await runCommand(folder, ['tape', 'import', tape, '--trades', absent])
    expect(answer).toEqual({ lines: [`${absent} is not there`], exitCode: 1 })
    expect(recordsAt(tape)).toEqual(before)
  })

  test('refuses no table, a missing column, and two markets under one name', async () => {
    expect(await importOf({})).toMatchObject({ exitCode: 64 })
    expect(await importOf({ trades: 'symbol,timestamp\n' })).toMatchObject({
      lines: [expect.stringContaining('has no column local_timestamp')],
      exitCode: 1,
    })
    const two = TRADES + table('', [[9, 9, 'e', 'buy', '1', '1']], 'ETHUSDT').slice(1)
    const { lines } = await importOf({ trades: two }, '--market', 'PERP_BTC_USDC')
    expect(lines).toEqual(['--market names one market, and the files have more: ETHUSDT'])
  })
})

test('a figure is exactly its text, in every spelling', () => {
  const digits = fc.integer({ min: -(2 ** 51), max: 2 ** 51 })
  fc.assert(
    fc.property(digits, fc.nat(18), (value, decimals) => {
      const text = figureText(value, decimals)
      const figure = parseFigure(text)
      expect(figureText(figure.value, figure.decimals)).toBe(text)
      expect(parseFigure(`${value}e-${decimals}`)).toEqual(figure)
    }),
  )
  for (const text of ['', 'NaN', '1.', '0x1', '9e99', '1e-19', `${2 ** 51 + 1}`, ' 1'])
    expect(() => parseFigure(text)).toThrow(RangeError)
})

test('files without rows, or with none that can be kept, are refused and leave no tape; a tape that was there stays as it was', async () => {
  const empty = await importOf({ books: `${BOOK_HEAD}\n`, trades: `${TRADE_HEAD}\n` })
  expect(empty).toMatchObject({ exitCode: 1, lines: ['nothing to import: the files have no rows'] })
  expect(existsSync(empty.tape)).toBe(false)
  const unknown = await importOf({
    trades: table(TRADE_HEAD, [[5, 6, 'b', 'unknown', '101', '0.5']]),
  })
  expect(unknown.exitCode).toBe(1)
  expect(unknown.lines.join()).toContain('of 1 rows none is of a book after its first snapshot')
  expect(existsSync(unknown.tape)).toBe(false)
  const kept = await importOf({ books: BOOKS })
  const before = recordsAt(kept.tape)
  expect((await importInto(kept.tape, { trades: `${TRADE_HEAD}\n` })).exitCode).toBe(1)
  expect(recordsAt(kept.tape)).toEqual(before)
})
