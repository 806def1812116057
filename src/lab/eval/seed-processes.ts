import { SETTING_ROWS } from '../../contract/settings.ts'
import { detached } from '../../core/loop/guarded.ts'
import { settingFlag } from '../../core/settings/sources.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from '../../operator/command/command.ts'
import type { Evaluation } from './evaluation.ts'
import { EVAL_FLAGS } from './flags.ts'
import { type EvaluationFiles, hasRun } from './run-files.ts'

/**
 * Runs the seeds in parallel processes, or sequentially by `runHere` without processes. Returns the seeds that failed
 * to run, or null if interrupted. Throws the UsageError of the first seed that has such an error.
 */
export async function runEach(
  deps: CommandEnvironment,
  args: CommandArguments,
  place: EvaluationFiles,
  runHere: (seed: number) => Promise<unknown>,
): Promise<readonly number[] | null> {
  const { runCommand, interrupted } = deps.world
  const { seeds } = place.evaluation
  const waiting = [...seeds]
  const failed: number[] = []
  const ending = new AbortController()
  let misuse: UsageError | null = null
  if (runCommand)
    detached(
      'process',
      interrupted().then(() => ending.abort()),
    )

  async function runSeed(seed: number): Promise<void> {
    if (!runCommand) return void (await runHere(seed))
    const command = seedCommand(deps, args, place, seed)
    const input = place.secret ?? undefined
    const { stdout, exitCode } = await runCommand(command, ending.signal, input)
    if (exitCode === MISUSED && !ending.signal.aborted) {
      misuse = new UsageError(...stdout.trimEnd().split('\n'))
      waiting.length = 0
    } else if (!hasRun(deps, place, seed) && !ending.signal.aborted) deps.print(stdout.trimEnd())
  }

  async function work(): Promise<void> {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      if (ending.signal.aborted) return
      await runSeed(seed)
      if (!hasRun(deps, place, seed)) failed.push(seed)
    }
  }
  await Promise.all(Array.from({ length: workerCount(deps, args, place.evaluation) }, work))
  if (misuse !== null) throw misuse
  return ending.signal.aborted ? null : failed.toSorted((a, b) => a - b)
}

/** The exit code of a command that throws a UsageError. */
const MISUSED = 64

/** Settings that must not appear on a command line. */
const SECRETS = new Set(SETTING_ROWS.filter(({ secret }) => secret).map(({ name }) => name))

/** The command that runs one seed, with the settings that are not in the environment. */
function seedCommand(
  { entries }: CommandEnvironment,
  args: CommandArguments,
  { folder, secret }: EvaluationFiles,
  seed: number,
): readonly string[] {
  const settings = entries.flatMap(({ name, text, origin }) => {
    const isGiven = (origin === 'flag' || origin === 'file') && !SECRETS.has(name)
    return isGiven && text !== null ? [settingFlag(name), text] : []
  })
  const repeated = [EVAL_FLAGS.agent, EVAL_FLAGS.mcp, EVAL_FLAGS.env].flatMap(({ flag }) => {
    const given = args.get(flag)
    return given ? [flag, given] : []
  })
  return [
    ...['eval', 'run', args.get('FILE') ?? '', EVAL_FLAGS.seed.flag, String(seed)],
    ...[EVAL_FLAGS.out.flag, folder],
    // The secret goes through standard input, because other processes of the machine can read command lines.
    ...(secret === null ? [] : [EVAL_FLAGS.secret.flag, '-']),
    ...repeated,
    ...settings,
  ]
}

function workerCount(
  { world }: CommandEnvironment,
  args: CommandArguments,
  { seeds: { length: seeds }, agentTerms }: Evaluation,
): number {
  const given = args.get(EVAL_FLAGS.workers.flag)
  if (given === '0') throw new UsageError(`${EVAL_FLAGS.workers.flag} must be at least 1`)
  // With a fixed port for the tools, only one world can run at a time.
  if (agentTerms.port > 0) return 1
  return Math.min(seeds, Number(given ?? Math.max(1, world.machine.processors())))
}
