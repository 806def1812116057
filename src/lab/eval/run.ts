import type { ServiceTransport } from '../../agents/client/client.ts'
import { FAILURES } from '../../contract/failures.ts'
import { VENUE_HEADER } from '../../contract/headers.ts'
import { ADVANCE_PATH } from '../../contract/venue/advance.ts'
import type { AgentOutcome } from '../../contract/venue/evaluated-agent.ts'
import { isObject, parsedJson } from '../../core/json.ts'
import { createTaskQueue } from '../../core/loop/task-queue.ts'
import type { CommandEnvironment } from '../../operator/command/command.ts'
import type { WorkLimits } from './agent.ts'
import { type Counts, countDecision, type LoggedDecision, watchDecisions } from './decisions.ts'
import { type EndState, readEndState } from './end.ts'
import type { Evaluation } from './evaluation.ts'
import { openLedger, type RunLedger } from './ledger.ts'
import { type RunAgent, startAgent } from './start-agent.ts'
import { passSteps, type RunTime, steppedTime } from './time.ts'
import { type AgentWork, watchWork, writtenOrderCount } from './work.ts'
import { type EvaluationWorld, openWorld } from './world.ts'

/** The outcome of a run. */
export type RunOutcome = {
  readonly seed: number
  readonly ledger: RunLedger
  readonly counts: Counts
  readonly outcome: AgentOutcome
  /** The world's final hash. Equal calls in worlds of one seed give equal hashes. */
  readonly hash: string
  /** The account at the end. */
  readonly end: EndState
}

type RunOptions = {
  readonly deps: Pick<CommandEnvironment, 'settings' | 'world'>
  readonly evaluation: Evaluation
  readonly agent: RunAgent
  readonly seed: number
  /** Called for each tool call, in sequence. */
  readonly decided: (decision: LoggedDecision) => void
  /** The new file for the error output of the agent's program. */
  readonly errorsPath: string
}

/**
 * Runs an agent in the world of a seed, to the end of the evaluation. Throws if the world or the agent cannot be
 * opened.
 */
export async function run({
  deps,
  evaluation,
  agent,
  seed,
  decided,
  errorsPath,
}: RunOptions): Promise<RunOutcome> {
  const world = await openWorld(deps, evaluation, seed)
  try {
    const ledger = openLedger(world)
    await ledger.measure()
    const time = steppedTime(world, evaluation, ledger)
    const counts: Counts = {
      decisions: 0,
      calls: 0,
      chars: 0,
      errors: 0,
      refusals: 0,
      limitHits: 0,
    }
    let before: LoggedDecision | null = null
    const newWatch = () =>
      watchDecisions(world.nowMs, (decision) => {
        countDecision(counts, before, decision)
        before = decision
        decided(decision)
      })
    const work = watchWork(world.nowMs, workLimits(agent, evaluation))
    const outcome = await startAgent({
      ...{ world, evaluation, agent, seed, newWatch, time, work, errorsPath },
      outside: deps.world,
      transport: agentTransport(world, time, work, ledger),
    }).finally(work.end)
    if (time.leftMs() > 0) await time.pass({ ms: time.leftMs() })
    await ledger.gather()
    const end = await readEndState(world)
    return { seed, ledger, counts, outcome, hash: await world.hash(), end }
  } finally {
    await world.close()
  }
}

/**
 * The limits of an agent. A replay enforces only the order limit, since calls that exceeded other limits are not in the
 * log.
 */
function workLimits(agent: RunAgent, { agentTerms }: Evaluation): WorkLimits {
  if (!('replay' in agent)) return agentTerms
  const endless = Number.POSITIVE_INFINITY
  const perDecision = { calls: endless, bytes: endless, orders: agentTerms.perDecision.orders }
  return { thinkMaxMs: endless, runMaxMs: endless, perDecision }
}

/**
 * The public API for the agent's tools. A call that advances the clock becomes steps of the run. The book is read
 * before each order. Concurrent requests are serialized, since their order of arrival would be random.
 */
function agentTransport(
  world: EvaluationWorld,
  time: RunTime,
  work: AgentWork,
  ledger: RunLedger,
): ServiceTransport {
  /** Makes a call, then catches up: venue time may pass during it because of latency or a delay fault. */
  async function answered(request: Request): Promise<Response> {
    const response = await world.front(request)
    await time.catchUp()
    return response
  }
  async function relayed(request: Request): Promise<Response> {
    const text = await request.text()
    const { path, body } = signedWrite(text)
    if (path === ADVANCE_PATH) {
      const answer = await passSteps(time, body)
      if (answer) return Response.json(answer, { headers: { [VENUE_HEADER]: 'embedded' } })
    }
    const orders = writtenOrderCount(path, body)
    if (!work.spend('orders', orders) && orders > 0) return unsentOrder()
    const { url, method, headers, signal } = request
    const sent = () => answered(new Request(url, { method, headers, body: text, signal }))
    const symbol = isObject(body) ? body['symbol'] : undefined
    return typeof symbol === 'string' ? ledger.ordered(symbol, sent) : sent()
  }
  const inTurn = createTaskQueue()
  return (request) =>
    work.during(() =>
      inTurn(() =>
        new URL(request.url).pathname === '/api/prep/relay' ? relayed(request) : answered(request),
      ),
    )
}

/** The answer to an order beyond the order limit. */
function unsentOrder(): Response {
  const { status, error } = FAILURES.not_available
  const next = 'Nothing was sent: this evaluation has ended by orders_max.'
  return Response.json({ code: 'not_available', error, meta: { next } }, { status })
}

/** The path and body of a signed POST or PUT; empty for other calls. */
function signedWrite(envelope: string): { readonly path: unknown; readonly body: unknown } {
  const call = parsedJson(envelope)
  if (!isObject(call) || !METHODS_WITH_BODY.has(String(call['method'])))
    return { path: null, body: null }
  return { path: call['path'], body: parsedJson(String(call['body'])) }
}

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT'])
