import { detached } from '../../core/loop/guarded.ts'
import { flagOf } from '../../settings/sources.ts'
import { UsageError } from '../../settings/usage-error.ts'
import { SETTING_ROWS } from '../../spec/settings.ts'
import type { CommandArguments, CommandDeps } from '../command/command.ts'
import { type AgentChoice, chosenAgent } from './agent.ts'
import { compare, comparisonLines } from './compare.ts'
import { type Decision, readDecisions } from './decisions.ts'
import type { Evaluation } from './evaluation.ts'
import { EVAL_FLAGS } from './flags.ts'
import { figureLines, judgementLines, runLines, unfinishedLines } from './lines.ts'
import {
  alone,
  clear,
  hasRun,
  type Place,
  placeOf,
  readPlacedRun,
  readResult,
  resultPath,
  write,
} from './place.ts'
import { reportPage } from './report.ts'
import { resultOf, runFileOf } from './result.ts'
import { run } from './run.ts'
import { writingTo } from './writing.ts'

/**
 * Runs an agent in the world of each seed, and judges it. Answers the exit code: 0 passed, 1 failed. Throws UsageError for a
 * bad file, flag or program; NoPlaceError for a file that cannot be written.
 */
export async function evalRun(deps: CommandDeps, args: CommandArguments): Promise<number> {
  const place = placeOf(deps, args)
  const [named, mcp] = [args.get(EVAL_FLAGS.agent.flag), args.get(EVAL_FLAGS.mcp.flag)]
  const agent = chosenAgent({ named, mcp }, place.evaluation.agent)
  const seed = namedSeed(args, place.evaluation)
  return seed === undefined
    ? alone(deps, place, 'run', () => runAll(deps, args, place, agent))
    : alone(deps, place, `seed-${seed}`, () => runOne(deps, place, agent, seed))
}

/**
 * Makes the calls of a run again. Answers 0 when the world ends with the same hash, else 1. Throws UsageError where there is
 * no run.
 */
export async function evalReplay(deps: CommandDeps, args: CommandArguments): Promise<number> {
  const place = placeOf(deps, args)
  const { evaluation } = place
  const seed = namedSeed(args, evaluation) ?? evaluation.seeds[0] ?? 0
  const before = readPlacedRun(deps, place, seed)
  const { hash } = await run({
    ...{ deps, seed, evaluation },
    agent: { replay: readDecisions(deps.world.disk.readLines(place.path(seed, 'jsonl'))) },
    decided: () => undefined,
    errorsPath: place.path(seed, 'errors'),
  })
  const isSame = hash === before.hash
  const line = isSame ? `the same world, ${hash}` : `${hash}, and before ${before.hash}`
  deps.report({ seed, hash, before: before.hash, isSame }, [`seed ${seed}: ${line}`])
  return isSame ? 0 : 1
}

/** Compares two agents over the same seeds. Answers 0. Throws UsageError when there are no pairs; NoPlaceError for a page that cannot be written. */
export async function evalCompare(deps: CommandDeps, args: CommandArguments): Promise<number> {
  const other = args.get(EVAL_FLAGS.with.flag)
  if (other === undefined) throw new UsageError(`${EVAL_FLAGS.with.flag} must name a folder`)
  const results = [readResult(deps, args.get('FOLDER') ?? ''), readResult(deps, other)] as const
  const comparison = compare(...results)
  const page = args.get(EVAL_FLAGS.html.flag)
  if (page !== undefined) write(deps, page, reportPage(results, comparison))
  deps.report(comparison, comparisonLines(comparison))
  return 0
}

async function runOne(
  deps: CommandDeps,
  place: Place,
  agent: AgentChoice,
  seed: number,
): Promise<number> {
  const { evaluation } = place
  clear(deps, place, [seed])
  const logPath = place.path(seed, 'jsonl')
  const log = deps.world.disk.writer(logPath)
  const decided = (decision: Decision) => log.write(`${JSON.stringify(decision)}\n`)
  const errorsPath = place.path(seed, 'errors')
  const running = run({ deps, evaluation, agent, seed, decided, errorsPath })
  const ran = await running.finally(() => writingTo(logPath, log.end))
  const file = runFileOf(ran, evaluation, agent)
  write(deps, place.path(seed, 'json'), `${JSON.stringify(file)}\n`)
  const result = resultOf(evaluation, [file])
  deps.report(file, [
    ...[...runLines(file), ''],
    ...judgementLines(result),
    ...unfinishedLines(result, place.folder),
  ])
  return result.isPassed ? 0 : 1
}

async function runAll(
  deps: CommandDeps,
  args: CommandArguments,
  place: Place,
  agent: AgentChoice,
): Promise<number> {
  const { evaluation } = place
  // A run that was killed may have left one of a seed that goes on.
  for (const seed of evaluation.seeds) await alone(deps, place, `seed-${seed}`, async () => {})
  clear(deps, place, evaluation.seeds)
  const failed = await runEach(deps, args, place, agent)
  if (failed === null) deps.print('interrupted; nothing is judged')
  if (failed === null) return 1
  for (const seed of failed) {
    const errors = place.path(seed, 'errors')
    const where = deps.world.disk.isEmpty(errors) ? '' : `; see ${errors}`
    deps.print(`seed ${seed} could not be run${where}`)
  }
  if (failed.length > 0) return 1
  const result = resultOf(
    evaluation,
    evaluation.seeds.map((seed) => readPlacedRun(deps, place, seed)),
  )
  write(deps, resultPath(place.folder), `${JSON.stringify(result)}\n`)
  write(deps, `${place.folder}/report.html`, reportPage([result]))
  const { runs: _, ...shown } = result
  deps.report(shown, [
    ...figureLines(result),
    '',
    ...judgementLines(result),
    ...unfinishedLines(result, place.folder),
    `${place.folder}/report.html`,
  ])
  return result.isPassed ? 0 : 1
}

/**
 * Runs the seeds in processes beside each other; answers the seeds that could not be run, or null when it was interrupted.
 * Throws the UsageError of the first seed that has one.
 */
async function runEach(
  deps: CommandDeps,
  args: CommandArguments,
  place: Place,
  agent: AgentChoice,
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
    if (!runCommand)
      return void (await runOne({ ...deps, report: () => undefined }, place, agent, seed))
    const command = seedCommand(deps, args, place, seed)
    const { stdout, exitCode } = await runCommand(command, ending.signal)
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
  await Promise.all(Array.from({ length: workersOf(deps, args, place.evaluation) }, work))
  if (misuse !== null) throw misuse
  return ending.signal.aborted ? null : failed.toSorted((a, b) => a - b)
}

/** The exit code of a command that throws a UsageError. */
const MISUSED = 64

/** Settings that stand on no command line. */
const SECRETS = new Set(SETTING_ROWS.filter(({ secret }) => secret).map(({ name }) => name))

/** The command that runs one seed of this one, with the settings that are not in the environment. */
function seedCommand(
  { entries }: CommandDeps,
  args: CommandArguments,
  { folder }: Place,
  seed: number,
): readonly string[] {
  const settings = entries.flatMap(({ name, text, origin }) => {
    const isGiven = (origin === 'flag' || origin === 'file') && !SECRETS.has(name)
    return isGiven && text !== null ? [flagOf(name), text] : []
  })
  const repeated = [EVAL_FLAGS.agent, EVAL_FLAGS.mcp].flatMap(({ flag }) => {
    const given = args.get(flag)
    return given ? [flag, given] : []
  })
  return [
    ...['eval', 'run', args.get('FILE') ?? '', EVAL_FLAGS.seed.flag, String(seed)],
    ...[EVAL_FLAGS.out.flag, folder],
    ...repeated,
    ...settings,
  ]
}

function workersOf(
  { world }: CommandDeps,
  args: CommandArguments,
  { seeds: { length: seeds }, agentTerms }: Evaluation,
): number {
  const given = args.get(EVAL_FLAGS.workers.flag)
  if (given === '0') throw new UsageError(`${EVAL_FLAGS.workers.flag} must be at least 1`)
  // Worlds with one port for their tools follow each other.
  if (agentTerms.port > 0) return 1
  return Math.min(seeds, Number(given ?? Math.max(1, world.machine.processors())))
}

/** The seed that the command line names, if any. Throws UsageError for one that is not in the file. */
function namedSeed(args: CommandArguments, { seeds }: Evaluation): number | undefined {
  const given = args.get(EVAL_FLAGS.seed.flag)
  const seed = seeds.find((each) => String(each) === given)
  if (given !== undefined && seed === undefined)
    throw new UsageError(`${EVAL_FLAGS.seed.flag} must be one of the seeds of the file`)
  return seed
}
