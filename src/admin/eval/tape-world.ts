import { UsageError } from '../../settings/usage-error.ts'
import type { EvaluationFile } from '../../spec/venue/evaluation.ts'
import { openTapeFile } from '../../tape/file.ts'
import { indexTape } from '../../tape/read.ts'
import { openRecorded } from '../../tape/recorded.ts'

/** A tape that the worlds of an evaluation play. Times in ms. */
export type EvaluationTape = {
  readonly path: string
  readonly firstMs: number
  readonly lastMs: number
  readonly symbols: ReadonlySet<string>
}

/** The tape in a file. Throws UsageError for one that cannot be played. */
export function readEvaluationTape(path: string): EvaluationTape {
  try {
    const file = openTapeFile(path, 'read')
    try {
      const { firstUs, symbols } = openRecorded(file)
      const lastUs = indexTape(file).frames.at(-1)?.lastUs ?? firstUs
      const [firstMs, lastMs] = [Math.floor(firstUs / 1000), Math.floor(lastUs / 1000)]
      return { path, firstMs, lastMs, symbols }
    } finally {
      file.close()
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    throw new UsageError(`tape cannot be played: ${reason}`)
  }
}

type Run = {
  readonly tape: EvaluationTape | null
  readonly startMs: number
  readonly lengthMs: number
  readonly markets: readonly string[]
}

/** Contradictions between a file and its tape, a line each. */
export function tapeProblems(
  { tape, startMs, lengthMs, markets }: Run,
  { scenario, activity }: EvaluationFile,
): string[] {
  if (!tape) return []
  const { firstMs, lastMs, symbols } = tape
  const absent = markets.filter((symbol) => !symbols.has(symbol))
  const [from, to] = [firstMs, lastMs].map((ms) => new Date(ms).toISOString())
  const isWithin = startMs >= firstMs && startMs + lengthMs <= lastMs
  return [
    ...(scenario === undefined ? [] : ['give tape or scenario']),
    ...(activity === undefined ? [] : ['activity is that of the tape: leave it out']),
    ...(absent.length === 0
      ? []
      : [`markets: ${absent.join(', ')} is not on the tape, which has ${[...symbols].join(', ')}`]),
    ...(isWithin ? [] : [`start and length must be within the tape: from ${from} to ${to}`]),
  ]
}
