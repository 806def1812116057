import { keccak256 } from '../../core/crypto/keccak.ts'
import { toHex } from '../../core/hex.ts'
import { readTextFile } from '../../core/settings/files.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from '../../operator/command/command.ts'
import { type AgentChoice, chosenAgent } from './agent.ts'
import { compare, comparisonLines } from './compare.ts'
import { type LoggedDecision, readDecisions } from './decisions.ts'
import { namedVariables } from './environment.ts'
import type { Evaluation } from './evaluation.ts'
import { runFileWrite } from './file-write.ts'
import { EVAL_FLAGS } from './flags.ts'
import { figureLines, judgementLines, runLines, secretLines, unfinishedLines } from './lines.ts'
import { reportPage } from './report.ts'
import { toEvaluationResult, toRunFile } from './result.ts'
import { run } from './run.ts'
import {
  clearRuns,
  type EvaluationFiles,
  openEvaluationFiles,
  readResult,
  readStoredRun,
  resultPath,
  withLockedFolder,
  write,
} from './run-files.ts'
import { runEach } from './seed-processes.ts'

/**
 * Runs an agent in the world of each seed, and judges the runs by the criteria. Returns the exit code: 0 passed, 1
 * failed. Throws UsageError for an invalid file, flag or program, and NoPlaceError for a file that cannot be written.
 */
export async function evalRun(deps: CommandEnvironment, args: CommandArguments): Promise<number> {
  const named = openEvaluationFiles(deps, args)
  const agent = namedAgent(args, named.evaluation)
  const place = await openFilesForRun(deps, args, named, agent)
  const seed = namedSeed(args, place.evaluation)
  return seed === undefined
    ? withLockedFolder(deps, place, 'run', () => runAll(deps, args, place, agent))
    : withLockedFolder(deps, place, `seed-${seed}`, () => runOne(deps, place, agent, seed))
}

function namedAgent(args: CommandArguments, { agent }: Evaluation): AgentChoice {
  const given = { named: args.get(EVAL_FLAGS.agent.flag), mcp: args.get(EVAL_FLAGS.mcp.flag) }
  return chosenAgent(given, agent)
}

/** Opens the files of a run, with its secret and with the additional variables of the command line. */
async function openFilesForRun(
  deps: CommandEnvironment,
  args: CommandArguments,
  place: EvaluationFiles,
  agent: AgentChoice,
): Promise<EvaluationFiles> {
  const secret = await readSeedSecret(deps, args, place.evaluation)
  const { agentTerms } = place.evaluation
  const given = args.get(EVAL_FLAGS.env.flag)
  const isProgram = 'command' in agent
  if (given !== undefined && !isProgram) throw new UsageError('--env needs an agent with a command')
  if (!isProgram) return { ...place, secret }
  const env = namedVariables(given, agentTerms.env, deps.world.user.variables)
  return {
    ...place,
    secret,
    evaluation: { ...place.evaluation, agentTerms: { ...agentTerms, env } },
  }
}

/**
 * Replays the calls of a run. Returns 0 if the world ends with the same hash, otherwise 1. Throws UsageError without a
 * run.
 */
export async function evalReplay(
  deps: CommandEnvironment,
  args: CommandArguments,
): Promise<number> {
  const place = openEvaluationFiles(deps, args)
  const { evaluation } = place
  const number = namedSeed(args, evaluation) ?? evaluation.seeds[0] ?? 0
  const before = readStoredRun(deps, place, number)
  const { seed } = before
  const { hash } = await run({
    ...{ deps, seed, evaluation },
    agent: {
      replay: readDecisions(deps.world.disk.readLines(place.path(number, 'jsonl'))),
      isEndedByOrders: before.outcome === 'orders_max',
    },
    decided: () => undefined,
    errorsPath: place.path(number, 'errors'),
  })
  const isSame = hash === before.hash
  const line = isSame ? `the same world, ${hash}` : `${hash}, and before ${before.hash}`
  deps.report({ seed, hash, before: before.hash, isSame }, [`seed ${seed}: ${line}`])
  return isSame ? 0 : 1
}

/**
 * Compares two agents over the same seeds. Returns 0. Throws UsageError without pairs, and NoPlaceError for a page that
 * cannot be written.
 */
export async function evalCompare(
  deps: CommandEnvironment,
  args: CommandArguments,
): Promise<number> {
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
  deps: CommandEnvironment,
  place: EvaluationFiles,
  agent: AgentChoice,
  number: number,
): Promise<number> {
  const { evaluation, secret } = place
  const seed = worldSeed(evaluation, number, secret)
  clearRuns(deps, place, [number])
  const logPath = place.path(number, 'jsonl')
  const log = deps.world.disk.writer(logPath)
  const decided = (decision: LoggedDecision) => log.write(`${JSON.stringify(decision)}\n`)
  const errorsPath = place.path(number, 'errors')
  const running = run({ deps, evaluation, agent, seed, decided, errorsPath })
  const ran = await running.finally(() => runFileWrite(logPath, log.end))
  const file = toRunFile(ran, evaluation, agent)
  write(deps, place.path(number, 'json'), `${JSON.stringify(file)}\n`)
  const result = toEvaluationResult(evaluation, [file])
  deps.report(file, [
    ...[...runLines(file), ''],
    ...judgementLines(result),
    ...unfinishedLines(result, place.folder),
  ])
  return result.isPassed ? 0 : 1
}

async function runAll(
  deps: CommandEnvironment,
  args: CommandArguments,
  place: EvaluationFiles,
  agent: AgentChoice,
): Promise<number> {
  const { evaluation, secret } = place
  // Throws UsageError if a process that a killed run left behind still runs a seed.
  for (const seed of evaluation.seeds)
    await withLockedFolder(deps, place, `seed-${seed}`, async () => {})
  clearRuns(deps, place, evaluation.seeds)
  const here = { ...deps, report: () => undefined }
  const failed = await runEach(deps, args, place, (seed) => runOne(here, place, agent, seed))
  if (failed === null) deps.print('interrupted; nothing is judged')
  if (failed === null) return 1
  for (const seed of failed) {
    const errors = place.path(seed, 'errors')
    const where = deps.world.disk.isEmpty(errors) ? '' : `; see ${errors}`
    deps.print(`seed ${seed} could not be run${where}`)
  }
  if (failed.length > 0) return 1
  const runs = evaluation.seeds.map((seed) => readStoredRun(deps, place, seed))
  const result = { ...toEvaluationResult(evaluation, runs), ...(secret !== null && { secret }) }
  write(deps, resultPath(place.folder), `${JSON.stringify(result)}\n`)
  write(deps, `${place.folder}/report.html`, reportPage([result]))
  const { runs: _, ...shown } = result
  deps.report(shown, [
    ...figureLines(result),
    '',
    ...judgementLines(result),
    ...unfinishedLines(result, place.folder),
    ...secretLines(result),
    `${place.folder}/report.html`,
  ])
  return result.isPassed ? 0 : 1
}

/** The seed on the command line, if any. Throws UsageError for a seed that is not in the file. */
function namedSeed(args: CommandArguments, { seeds }: Evaluation): number | undefined {
  const given = args.get(EVAL_FLAGS.seed.flag)
  const seed = seeds.find((each) => String(each) === given)
  if (given !== undefined && seed === undefined)
    throw new UsageError(`${EVAL_FLAGS.seed.flag} must be one of the seeds of the file`)
  return seed
}

const SECRET = /^[0-9a-f]{64}$/
const SECRET_BYTES = 32
/** Bits of a derived seed, within the 53 bits of exact integers. */
const SEED_BITS = 52

/**
 * The secret from which a run derives its hidden seeds: from `--secret`, otherwise a new one. Null without hidden
 * seeds. Throws UsageError for a file without a secret, and for a secret without hidden seeds.
 */
async function readSeedSecret(
  { world, files }: Pick<CommandEnvironment, 'world' | 'files'>,
  args: CommandArguments,
  { isHidden }: Evaluation,
): Promise<string | null> {
  const { flag } = EVAL_FLAGS.secret
  const path = args.get(flag)
  if (!isHidden && path !== undefined) throw new UsageError(`${flag} is that of seeds = "hidden"`)
  if (!isHidden) return null
  if (path === undefined) return toHex(world.random.bytes(SECRET_BYTES))
  const text = path === '-' ? await world.disk.readInput() : readTextFile(files, path)
  const secret = (text ?? '').trim()
  if (SECRET.test(secret)) return secret
  throw new UsageError(`${flag} must name a file with the secret of a result`)
}

/** The seed of a world by its number: the number itself, or a seed derived from a secret. */
function worldSeed({ name }: Evaluation, number: number, secret: string | null): number {
  if (secret === null) return number
  const digest = keccak256(Buffer.from(`${secret}/${name}/${number}`))
  return 1 + Number(BigInt.asUintN(SEED_BITS, BigInt(`0x${toHex(digest)}`)))
}
