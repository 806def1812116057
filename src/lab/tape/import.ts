import { MINUTE_MS } from '../../contract/durations.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from '../../operator/command/command.ts'
import { TAPE_FLAGS } from '../../operator/command/flags.ts'
import { type MarketTape, openMarketTape } from '../../tapes/markets.ts'
import type { TapeWriter } from '../../tapes/write.ts'
import {
  type BookContent,
  bookMessages,
  type FileMessage,
  mergedMessages,
  tradeMessages,
} from './messages.ts'
import { addToTape } from './open.ts'
import { microsTimeText } from './show.ts'

/** The counts of an import. */
type Counts = {
  books: number
  trades: number
  gaps: number
  /** Number of skipped book changes before the first snapshot, and of trades with an unknown taker. */
  skipped: number
}

/** Maximum time by which a message may be older than the preceding message of its source. */
const OVERLAP_MAX_US = MINUTE_MS * 1000

type Importing = {
  readonly writer: TapeWriter
  readonly tape: MarketTape
  /** The new symbol of a single market; null keeps the files' symbols. */
  readonly renamed: string | null
  /** The markets by their symbol in the files. */
  readonly markets: Map<string, Imported>
  readonly counts: Counts
}

type Imported = {
  readonly number: number
  book: 'unknown' | 'snapshot' | 'changed'
  /**
   * The time at which the last snapshot was received. Rows of other markets may split a snapshot into several parts.
   */
  snapshotUs: number | null
  isBehind: boolean
}

/**
 * Imports files of books and of trades into a new or existing tape. Returns the exit code: 0, 1 for an unreadable file.
 * Throws UsageError without a file.
 */
export async function tapeImport(deps: CommandEnvironment, args: CommandArguments): Promise<0 | 1> {
  const [books, trades] = [args.get(TAPE_FLAGS.books.flag), args.get(TAPE_FLAGS.trades.flag)]
  if (books === undefined && trades === undefined)
    throw new UsageError('--books, --trades or both must be given')
  const renamed = args.get(TAPE_FLAGS.market.flag) ?? null
  return await addToTape(deps, args, (writer) => {
    const messages = mergedMessages(
      books === undefined ? noMessages() : bookMessages(books),
      trades === undefined ? noMessages() : tradeMessages(trades),
    )
    return importMessages(writer, messages, renamed)
  })
}

async function* noMessages(): AsyncGenerator<FileMessage[]> {}

/**
 * Adds messages to a tape. A snapshot after changes means a gap in the source, and so does the time between two files.
 * Messages before an error stay in the tape. Throws an Error without messages.
 */
export async function importMessages(
  writer: TapeWriter,
  messages: AsyncIterable<readonly FileMessage[]>,
  renamed: string | null,
): Promise<Counts> {
  const counts = { books: 0, trades: 0, gaps: 0, skipped: 0 }
  const tape = openMarketTape(writer)
  const state: Importing = { writer, tape, renamed, markets: new Map(), counts }
  try {
    for await (const batch of messages) for (const message of batch) addMessage(state, message)
  } finally {
    writer.flush()
  }
  if (counts.books + counts.trades === 0)
    throw new Error(`nothing to import: ${emptyImportReason(counts)}`)
  return counts
}

function emptyImportReason({ skipped }: Counts): string {
  if (skipped === 0) return 'the files have no rows'
  return `of ${skipped} rows none is of a book after its first snapshot, or a trade with its taker`
}

function addMessage(state: Importing, message: FileMessage): void {
  const { symbol, atUs, content } = message
  const { counts, tape } = state
  const market = state.markets.get(symbol) ?? begin(state, symbol, atUs)
  if (content?.kind === 'book') takeBook(state, market, message, content)
  else if (content === null) counts.skipped += 1
  else {
    endGap(state, market, atUs)
    tape.trade(market.number, { atUs, ...content })
    counts.trades += 1
  }
}

/** Begins a market of the files. Throws an Error if the tape already has later records. */
function begin({ writer, markets, renamed, tape }: Importing, symbol: string, atUs: number) {
  if (renamed !== null && markets.size > 0)
    throw new Error(`--market names one market, and the files have more: ${symbol}`)
  const name = renamed ?? symbol
  const known = [...writer.books.values()].find(({ market }) => market.symbol === name)
  const lastUs = known?.lastUs ?? null
  if (lastUs !== null && lastUs - atUs > OVERLAP_MAX_US)
    throw new Error(
      `${name} is on the tape until ${microsTimeText(lastUs)}, and the files begin before, at ${microsTimeText(atUs)}`,
    )
  // Imported files have no rules, so the rules of an earlier recording stay.
  const number = tape.declare(name, known?.market.rules ?? '')
  const market: Imported = { number, book: 'unknown', snapshotUs: null, isBehind: lastUs !== null }
  markets.set(symbol, market)
  return market
}

function takeBook(
  state: Importing,
  market: Imported,
  { atUs, localUs }: FileMessage,
  { isSnapshot, bids, asks }: BookContent,
): void {
  if (market.book === 'unknown' && !isSnapshot) {
    state.counts.skipped += 1
    return
  }
  if (market.book === 'changed' && isSnapshot) market.isBehind = true
  endGap(state, market, atUs)
  const isWhole = isSnapshot && market.snapshotUs !== localUs
  if (isSnapshot) market.snapshotUs = localUs
  state.tape.book(market.number, { atUs, isWhole, bids, asks })
  market.book = isSnapshot ? 'snapshot' : 'changed'
  state.counts.books += 1
}

/** Writes the gap between a market's last record and `atUs`, if there is one. */
function endGap({ writer, tape, counts }: Importing, market: Imported, atUs: number): void {
  const fromUs = tape.lastUs(market.number)
  if (!market.isBehind || fromUs === null) return
  market.isBehind = false
  const gap = { fromUs, atUs: Math.max(fromUs, atUs), cause: 'source' } as const
  writer.add({ kind: 'gap', market: market.number, ...gap })
  counts.gaps += 1
}
