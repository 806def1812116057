import type { Command, Operand } from '../../operator/command/command.ts'
import { TAPE_FLAGS } from '../../operator/command/flags.ts'

const TAPE: Operand = { shown: 'FILE', meaning: 'The tape.' }

/** Commands on tapes: files of recorded books, trades and prices. */
export const TAPE_COMMANDS: readonly Command[] = [
  {
    path: 'tape record',
    summary: "Record the venue's public books, trades, prices and rules until it is stopped.",
    operand: { shown: 'FILE', meaning: 'The tape: a new file, or one to go on with after a gap.' },
    example: 'btc.tape --markets PERP_BTC_USDC',
    arguments: [TAPE_FLAGS.url, TAPE_FLAGS.markets, TAPE_FLAGS.seconds],
    run: async (deps, args) => (await import('./record.ts')).tapeRecord(deps, args),
  },
  {
    path: 'tape import',
    summary: 'Add tables of books and trades, as tardis.dev has them, to a tape.',
    operand: { shown: 'FILE', meaning: 'The tape: a new file, or one that ends before them.' },
    example: 'btc.tape --books BTCUSDT_book.csv.gz --market PERP_BTC_USDC',
    arguments: [TAPE_FLAGS.books, TAPE_FLAGS.trades, TAPE_FLAGS.market],
    run: async (deps, args) => (await import('./import.ts')).tapeImport(deps, args),
  },
  {
    path: 'tape show',
    summary: 'Show the markets, times and gaps of a tape, and with --rows its records.',
    operand: TAPE,
    example: 'btc.tape --rows 20',
    arguments: [TAPE_FLAGS.market, TAPE_FLAGS.from, TAPE_FLAGS.rows],
    run: async (deps, args) => (await import('./show.ts')).tapeShow(deps, args),
  },
  {
    path: 'tape verify',
    summary: 'Read a whole tape and check it; exit code 1 when it is damaged.',
    operand: TAPE,
    example: 'btc.tape',
    arguments: [],
    run: async (deps, args) => (await import('./show.ts')).tapeVerify(deps, args),
  },
]
