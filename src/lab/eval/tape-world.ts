import { LIMITS } from '../../contract/limits.ts'
import type { EvaluationFile } from '../../contract/venue/evaluation.ts'
import type { Files } from '../../core/settings/files.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import { readCandles } from '../../simulator/world-choices.ts'
import { openTapeFile } from '../../tapes/file.ts'
import { indexTape } from '../../tapes/read.ts'
import { openRecorded } from '../../tapes/recorded.ts'

/** A tape that the worlds of an evaluation replay, or a price file that they follow. Times in ms. */
export type EvaluationTape = {
  readonly path: string
  /** Tape: the time of the first order book snapshot. Prices: the first time at which every market has a candle. */
  readonly firstMs: number
  readonly lastMs: number
  readonly symbols: ReadonlySet<string>
}

/** The tape in a file. Throws UsageError if it cannot be replayed. */
export function readEvaluationTape(path: string): EvaluationTape {
  try {
    const file = openTapeFile(path, 'read')
    try {
      const { wholeUs, symbols } = openRecorded(file)
      const lastUs = indexTape(file).frames.at(-1)?.lastUs ?? wholeUs
      const [firstMs, lastMs] = [Math.floor(wholeUs / 1000), Math.floor(lastUs / 1000)]
      return { path, firstMs, lastMs, symbols }
    } finally {
      file.close()
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    throw new UsageError(`tape cannot be played: ${reason}`)
  }
}

/** The candles in a file for the markets of an evaluation. Throws UsageError if they cannot be followed. */
export function readEvaluationPrices(
  path: string,
  files: Files,
  markets: readonly string[],
): EvaluationTape {
  const read = (name: string) => files.read(name, LIMITS.pricesFileMaxBytes)
  const candles = readCandles(path, read, 'prices')
  if (typeof candles === 'string') throw new UsageError(candles)
  const own = [...candles].filter(([symbol]) => markets.includes(symbol))
  const firstMs = Math.max(...own.map(([, { fromMs }]) => fromMs))
  const lastMs = Math.min(...own.map(([, { toMs }]) => toMs))
  return { path, firstMs, lastMs, symbols: new Set(candles.keys()) }
}

type Run = {
  readonly tape: EvaluationTape | null
  readonly prices: EvaluationTape | null
  readonly startMs: number
  readonly lengthMs: number
  readonly markets: readonly string[]
}

/** Contradictions between a file and its tape or prices, one line each. */
export function tapeConflicts(run: Run, { scenario, activity }: EvaluationFile): string[] {
  const { tape, prices } = run
  if (!tape) return prices ? spanProblems(run, prices, 'the file of prices') : []
  return [
    ...(scenario === undefined ? [] : ['give tape or scenario']),
    ...(prices === null ? [] : ['give tape or prices']),
    ...(activity === undefined ? [] : ['activity is that of the tape: leave it out']),
    ...spanProblems(run, tape, 'the tape'),
  ]
}

function spanProblems(
  { startMs, lengthMs, markets }: Run,
  { firstMs, lastMs, symbols }: EvaluationTape,
  what: string,
): string[] {
  const absent = markets.filter((symbol) => !symbols.has(symbol))
  if (absent.length > 0)
    return [`markets: ${absent.join(', ')} is not on ${what}, which has ${[...symbols].join(', ')}`]
  if (startMs >= firstMs && startMs + lengthMs <= lastMs) return []
  const [from, to] = [firstMs, lastMs].map((ms) => new Date(ms).toISOString())
  return [`start and length must be within ${what}: from ${from} to ${to}`]
}
