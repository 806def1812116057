import { UsageError } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from '../../operator/command/command.ts'
import { TAPE_FLAGS } from '../../operator/command/flags.ts'
import { aligned, answerLines } from '../../operator/command/tables.ts'
import { applyRecord, type TapeBooks } from '../../tapes/books.ts'
import { figureText } from '../../tapes/figures.ts'
import type { TapeFile } from '../../tapes/file.ts'
import { inspectTape, type MarketSummary, type TapeSummary } from '../../tapes/inspect.ts'
import { openTapeReader } from '../../tapes/read.ts'
import type { TapeLevels, TapeMarket, TapeRecord } from '../../tapes/records.ts'
import { readTape } from './open.ts'

const ROWS_MAX = 10_000
const GAPS_SHOWN = 100
const LEVELS_SHOWN = 5

/**
 * Verifies a whole tape. Returns the exit code: 0 for a sound tape or a torn end, which the next recording truncates; 1
 * for damage.
 */
export async function tapeVerify(deps: CommandEnvironment, args: CommandArguments): Promise<0 | 1> {
  return await readTape(deps, args, (file) => {
    const summary = inspectTape(file)
    const { bytes, frames, records, tornBytes, hash, broken } = summary
    const answer = { bytes, frames, records, gaps: summary.gaps.length, tornBytes, hash, broken }
    deps.report(answer, answerLines(answer, null))
    return broken.length > 0 ? 1 : 0
  })
}

/**
 * Shows a summary of a tape, or its records. Returns the exit code: 0, 1 for an unreadable tape. Throws UsageError for
 * a malformed flag.
 */
export async function tapeShow(deps: CommandEnvironment, args: CommandArguments): Promise<0 | 1> {
  const rows = Number(args.get(TAPE_FLAGS.rows.flag) ?? 0)
  if (rows > ROWS_MAX) throw new UsageError(`--rows must be at most ${ROWS_MAX}`)
  return await readTape(deps, args, (file) => {
    if (rows === 0) showSummary(deps, inspectTape(file), args.get(TAPE_FLAGS.market.flag))
    else showRecords(deps, args, file, rows)
    return 0
  })
}

function showSummary(
  { report }: CommandEnvironment,
  { bytes, frames, records, tornBytes, broken, ...summary }: TapeSummary,
  wanted: string | undefined,
): void {
  const symbols = new Map(summary.markets.map(({ market }) => [market.market, market.symbol]))
  checkMarket(wanted, [...symbols.values()])
  const isShown = (symbol = '') => wanted === undefined || symbol === wanted
  const markets = summary.markets.filter(({ market }) => isShown(market.symbol)).map(marketRow)
  const gaps = summary.gaps
    .filter(({ market }) => isShown(symbols.get(market)))
    .slice(0, GAPS_SHOWN)
    .map(({ market, fromUs, atUs, cause }) => ({
      symbol: symbols.get(market) ?? '',
      from: microsTimeText(fromUs),
      until: microsTimeText(atUs),
      cause,
    }))
  const answer = { bytes, frames, records, tornBytes, markets, gaps, broken }
  report(answer, answerLines(answer, null))
}

/** Throws an Error that lists the markets of a tape if the tape lacks the wanted market. */
function checkMarket(wanted: string | undefined, symbols: readonly string[]): void {
  if (wanted === undefined || symbols.includes(wanted)) return
  const named = symbols.length === 0 ? 'it has none' : `it has ${symbols.join(', ')}`
  throw new Error(`this tape has no market ${wanted}: ${named}`)
}

function marketRow({ market, gapUs, firstUs, lastUs, ...counts }: MarketSummary) {
  return {
    symbol: market.symbol,
    from: firstUs === null ? '-' : microsTimeText(firstUs),
    until: lastUs === null ? '-' : microsTimeText(lastUs),
    ...counts,
    gapSeconds: Math.round(gapUs / 1_000_000),
  }
}

function showRecords(
  { report }: CommandEnvironment,
  args: CommandArguments,
  file: TapeFile,
  rows: number,
): void {
  const from = args.get(TAPE_FLAGS.from.flag)
  const fromUs = from === undefined ? null : Date.parse(from) * 1000
  const symbol = args.get(TAPE_FLAGS.market.flag)
  const reader = openTapeReader(file, fromUs)
  const books: TapeBooks = new Map()
  const shown: { at: string; symbol: string; record: string }[] = []
  for (let record = reader.next(); record && shown.length < rows; record = reader.next()) {
    applyRecord(books, record)
    const market = books.get(record.market)?.market
    if (!market || record.kind === 'market' || record.atUs < (fromUs ?? 0)) continue
    if (symbol === undefined || market.symbol === symbol)
      shown.push({
        at: microsTimeText(record.atUs),
        symbol: market.symbol,
        record: recordText(record, market),
      })
  }
  if (shown.length === 0)
    checkMarket(
      symbol,
      [...books.values()].map(({ market }) => market.symbol),
    )
  report(
    { rows: shown },
    shown.length === 0
      ? ['no records']
      : aligned(shown.map(({ at, symbol: name, record }) => [at, name, record])),
  )
}

function recordText(record: Exclude<TapeRecord, TapeMarket>, market: TapeMarket): string {
  const { priceDecimals, quantityDecimals } = market
  switch (record.kind) {
    case 'trade':
      return `trade ${record.side} ${figureText(record.quantity, quantityDecimals)} at ${figureText(record.price, priceDecimals)}`
    case 'gap':
      return `gap since ${microsTimeText(record.fromUs)} (${record.cause})`
    case 'funding':
      return `funding ${figureText(record.rate.value, record.rate.decimals)} next ${microsTimeText(record.nextUs)}`
    case 'book':
      return `${record.isWhole ? 'whole book' : 'book'} bids ${levelsText(record.bids, market)} asks ${levelsText(record.asks, market)}`
    default:
      return `${record.kind} ${figureText(record.price.value, record.price.decimals)}`
  }
}

function levelsText(levels: TapeLevels, market: TapeMarket): string {
  const texts: string[] = []
  for (let at = 0; at < Math.min(levels.length, 2 * LEVELS_SHOWN); at += 2)
    texts.push(
      `${figureText(levels[at] ?? 0, market.priceDecimals)}×${figureText(levels[at + 1] ?? 0, market.quantityDecimals)}`,
    )
  const more = levels.length / 2 - texts.length
  return `[${texts.join(' ')}${more > 0 ? ` and ${more} more` : ''}]`
}

/** A time in ISO 8601, with microseconds if it has any. */
export function microsTimeText(atUs: number): string {
  const [text] = new Date(Math.floor(atUs / 1000)).toISOString().split('Z')
  const micros = atUs % 1000
  return `${text}${micros === 0 ? '' : String(micros).padStart(3, '0')}Z`
}
