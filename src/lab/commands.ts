import type { Command, Operand } from '../operator/command/command.ts'
import { TAPE_FLAGS } from '../operator/command/flags.ts'
import { EVAL_FLAGS } from './eval/flags.ts'

const TAPE: Operand = { shown: 'FILE', meaning: 'The tape.' }

/** Commands on tapes: files of recorded books, trades and prices. */
export const TAPE_COMMANDS: readonly Command[] = [
  {
    path: 'tape record',
    summary: "Record the venue's public books, trades, prices and rules until it is stopped.",
    operand: { shown: 'FILE', meaning: 'The tape: a new file, or one to go on with after a gap.' },
    example: 'btc.tape --markets PERP_BTC_USDC',
    arguments: [TAPE_FLAGS.url, TAPE_FLAGS.markets, TAPE_FLAGS.seconds],
    run: async (deps, args) => (await import('./tape/record.ts')).tapeRecord(deps, args),
  },
  {
    path: 'tape import',
    summary: 'Add tables of books and trades, as tardis.dev has them, to a tape.',
    operand: { shown: 'FILE', meaning: 'The tape: a new file, or one that ends before them.' },
    example: 'btc.tape --books BTCUSDT_book.csv.gz --market PERP_BTC_USDC',
    arguments: [TAPE_FLAGS.books, TAPE_FLAGS.trades, TAPE_FLAGS.market],
    run: async (deps, args) => (await import('./tape/import.ts')).tapeImport(deps, args),
  },
  {
    path: 'tape show',
    summary: 'Show the markets, times and gaps of a tape, and with --rows its records.',
    operand: TAPE,
    example: 'btc.tape --rows 20',
    arguments: [TAPE_FLAGS.market, TAPE_FLAGS.from, TAPE_FLAGS.rows],
    run: async (deps, args) => (await import('./tape/show.ts')).tapeShow(deps, args),
  },
  {
    path: 'tape verify',
    summary: 'Read a whole tape and check it; exit code 1 when it is damaged.',
    operand: TAPE,
    example: 'btc.tape',
    arguments: [],
    run: async (deps, args) => (await import('./tape/show.ts')).tapeVerify(deps, args),
  },
]

const EVALUATION: Operand = {
  shown: 'FILE',
  meaning: 'An evaluation, such as config/evals/buy-with-stop.toml.',
}

/** Commands that measure agents in separate worlds with their own time, without a server. */
export const EVAL_COMMANDS: readonly Command[] = [
  {
    path: 'eval run',
    summary: 'Run an agent in simulated worlds, measure it, judge it; exit code 1 when it fails.',
    operand: EVALUATION,
    example: 'config/evals/buy-with-stop.toml --agent hold',
    arguments: [
      ...[EVAL_FLAGS.agent, EVAL_FLAGS.mcp, EVAL_FLAGS.env],
      ...[EVAL_FLAGS.seed, EVAL_FLAGS.secret, EVAL_FLAGS.out, EVAL_FLAGS.workers],
    ],
    run: async (deps, args) => (await import('./eval/eval.ts')).evalRun(deps, args),
  },
  {
    path: 'eval replay',
    summary: 'Make the calls of a run again; exit code 1 when the world ends otherwise.',
    operand: EVALUATION,
    example: 'config/evals/buy-with-stop.toml --seed 1',
    arguments: [EVAL_FLAGS.seed, EVAL_FLAGS.out],
    run: async (deps, args) => (await import('./eval/eval.ts')).evalReplay(deps, args),
  },
  {
    path: 'eval compare',
    summary: 'Compare two agents that ran in the same worlds, seed by seed.',
    operand: { shown: 'FOLDER', meaning: 'Output folder of eval run for one agent.' },
    arguments: [EVAL_FLAGS.with, EVAL_FLAGS.html],
    required: [EVAL_FLAGS.with.flag],
    example: 'mine --with hold',
    run: async (deps, args) => (await import('./eval/eval.ts')).evalCompare(deps, args),
  },
]
