import { EVALUATION_LIMITS } from '../../contract/venue/evaluation.ts'
import { reportUnexpected, systemErrorCode } from '../../core/loop/guarded.ts'
import { readTextFile } from '../../core/settings/files.ts'
import { printable, UsageError } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from '../../operator/command/command.ts'
import { lockFile } from '../../store/connection/instance-lock.ts'
import { type Evaluation, readEvaluation } from './evaluation.ts'
import { runFileWrite } from './file-write.ts'
import { EVAL_FLAGS } from './flags.ts'
import { type EvaluationResult, type RunFile, readResultText, readRun } from './result.ts'

/**
 * An evaluation and its files. `path` returns a file of a run, by seed or world number: the run (`json`), the log of
 * decisions (`jsonl`), or the agent's errors.
 */
export type EvaluationFiles = {
  readonly evaluation: Evaluation
  readonly folder: string
  /** The secret from which a run derives hidden seeds; null without hidden seeds. */
  readonly secret: string | null
  readonly path: (seed: number, kind: 'json' | 'jsonl' | 'errors') => string
}

/** Opens the evaluation that a command line names. Throws UsageError for an invalid evaluation file. */
export function openEvaluationFiles(
  { files, world }: CommandEnvironment,
  args: CommandArguments,
): EvaluationFiles {
  const evaluation = readEvaluation(args.get('FILE') ?? '', files)
  const folder = world.disk.absolute(args.get(EVAL_FLAGS.out.flag) ?? `eval-${evaluation.name}`)
  const path: EvaluationFiles['path'] = (seed, kind) => `${folder}/seed-${seed}.${kind}`
  return { evaluation, folder, secret: null, path }
}

/** A stored run. Throws UsageError if the run is not stored. */
export function readStoredRun(
  { files }: CommandEnvironment,
  place: EvaluationFiles,
  seed: number,
): RunFile {
  const path = place.path(seed, 'json')
  const text = readTextFile(files, path, EVALUATION_LIMITS.resultMaxBytes)
  if (text === null)
    throw new UsageError(`there is no run of seed ${seed} in ${place.folder}: eval run makes it`)
  return readRun(text, path)
}

/** Whether a seed was run. */
export function hasRun(
  { files }: CommandEnvironment,
  place: EvaluationFiles,
  seed: number,
): boolean {
  return readTextFile(files, place.path(seed, 'json'), EVALUATION_LIMITS.resultMaxBytes) !== null
}

/** Creates and locks the folder during the work. Throws UsageError if it is in use or not writable. */
export async function withLockedFolder<Done>(
  { world }: Pick<CommandEnvironment, 'world'>,
  { folder }: EvaluationFiles,
  what: 'run' | `seed-${number}`,
  work: () => Promise<Done>,
): Promise<Done> {
  const path = `${folder}/${what}.lock`
  const unlock = writing(folder, () => {
    world.disk.makeFolder(folder)
    return lockFile(path)
  })
  if (!unlock) throw new UsageError(`another run writes to ${printable(folder)}`)
  try {
    return await work()
  } finally {
    world.disk.remove(path)
    unlock()
  }
}

/** Removes the files of earlier runs of these seeds. Throws UsageError if the folder is not writable. */
export function clearRuns(
  { world }: CommandEnvironment,
  place: EvaluationFiles,
  seeds: readonly number[],
): void {
  writing(place.folder, () => {
    for (const seed of seeds) {
      world.disk.remove(place.path(seed, 'json'))
      world.disk.write(place.path(seed, 'errors'), '')
    }
    world.disk.remove(resultPath(place.folder))
  })
}

/** Writes a file atomically. Throws NoPlaceError that names the file if it cannot be written. */
export function write({ world }: CommandEnvironment, path: string, text: string): void {
  runFileWrite(path, () => world.disk.write(path, text))
}

function writing<Done>(folder: string, write: () => Done): Done {
  try {
    return write()
  } catch (error) {
    reportUnexpected('process', error, 'system', 'SQLITE_FULL')
    const isFull = ['ENOSPC', 'SQLITE_FULL'].includes(systemErrorCode(error))
    const reason = isFull ? 'is on a disk that is full' : 'is no folder that can be written'
    throw new UsageError(`${printable(folder)} ${reason}`)
  }
}

export function resultPath(folder: string): string {
  return `${folder}/result.json`
}

/** The result in a folder. Throws UsageError if the folder has no result. */
export function readResult({ files, world }: CommandEnvironment, folder: string): EvaluationResult {
  const path = resultPath(world.disk.absolute(folder))
  const text = readTextFile(files, path, EVALUATION_LIMITS.resultMaxBytes)
  if (text === null)
    throw new UsageError(`there is no ${path}: eval run writes it when all seeds were run`)
  return readResultText(text, path)
}
