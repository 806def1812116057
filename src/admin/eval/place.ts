import { textOf } from '../../settings/files.ts'
import { EVALUATION_LIMITS } from '../../spec/venue/evaluation.ts'
import type { CommandArguments, CommandDeps } from '../command/command.ts'
import { type Evaluation, readEvaluation } from './evaluation.ts'
import { EVAL_FLAGS } from './flags.ts'
import { type Result, type RunFile, readResultText, readRun } from './result.ts'

/** An evaluation, and where the files of its runs are: the run, its log of decisions, what its agent printed as errors. */
export type Place = {
  readonly evaluation: Evaluation
  readonly folder: string
  readonly path: (seed: number, kind: 'json' | 'jsonl' | 'errors') => string
}

/** The place that a command line names. Throws UsageError for a file that is no evaluation. */
export function placeOf({ files, world }: CommandDeps, args: CommandArguments): Place {
  const evaluation = readEvaluation(args.get('FILE') ?? '', files)
  const folder = world.disk.absolute(args.get(EVAL_FLAGS.out.flag) ?? `eval-${evaluation.name}`)
  return { evaluation, folder, path: (seed, kind) => `${folder}/seed-${seed}.${kind}` }
}

/** A run that was made before. Throws UsageError where there is none. */
export function readPlacedRun({ files }: CommandDeps, place: Place, seed: number): RunFile {
  const path = place.path(seed, 'json')
  return readRun(textOf(files, path, EVALUATION_LIMITS.resultMaxBytes), path)
}

export function resultPath(folder: string): string {
  return `${folder}/result.json`
}

/** The result in a folder. Throws UsageError where there is none. */
export function readResult({ files, world }: CommandDeps, folder: string): Result {
  const path = resultPath(world.disk.absolute(folder))
  return readResultText(textOf(files, path, EVALUATION_LIMITS.resultMaxBytes), path)
}
