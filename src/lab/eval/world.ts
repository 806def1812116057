import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import {
  type Credentials,
  createClient,
  type ServiceTransport,
} from '../../agents/client/client.ts'
import { ADVANCE_LIMITS, ADVANCE_PATH, type AdvanceStep } from '../../contract/venue/advance.ts'
import { commandPath } from '../../contract/venue/commands.ts'
import { keccak256 } from '../../core/crypto/keccak.ts'
import { isObject } from '../../core/json.ts'
import type { Clock, Random } from '../../core/ports.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { openTemporaryAccount, VIRTUAL_KEY_LIFE_MS } from '../../operator/account/open.ts'
import { withOperatorKey } from '../../operator/account/transport.ts'
import type { CommandEnvironment, PracticeService } from '../../operator/command/command.ts'
import type { Evaluation } from './evaluation.ts'

/** The embedded venue of one run, with the account of its agent. */
export type EvaluationWorld = {
  readonly nowMs: () => number
  readonly credentials: Credentials
  /** The public API for the agent's tools. */
  readonly front: ServiceTransport
  readonly serveAgent: PracticeService['serveAgent']
  readonly listenAgent: PracticeService['listenAgent']
  /** Advances the venue's clock. Throws ClientFailure for a refused step. */
  readonly advance: (step: AdvanceStep) => Promise<SteppedRow>
  /** The time at which the account's standby cancel is due; null if no cancel is armed. */
  readonly standbyDueMs: () => Promise<number | null>
  readonly sendStandbys: () => Promise<void>
  /** The venue's answers to paths of the account, without faults, latency or limits. */
  readonly read: (...paths: readonly string[]) => Promise<readonly unknown[]>
  /**
   * The world's hash. Runs with the same calls have the same hash. Throws if the venue's accounting is inconsistent.
   */
  readonly hash: () => Promise<string>
  readonly close: () => Promise<void>
}

/** The venue's answer to one step of its clock. */
const SteppedRow = Type.Object({
  nowMs: Type.Integer(),
  advancedMs: Type.Integer(),
  ended: Type.String(),
  reads: Type.Array(Type.Unknown()),
})
export type SteppedRow = Static<typeof SteppedRow>

const BASE_URL = 'http://localhost'
/** The key of this service, which only this process can reach. */
const OPERATOR_KEY = 'the-operator-of-an-evaluation-in-this-process'

/** Opens the world of a seed. The account's keys also come from the seed, so that equal runs have equal hashes. */
export async function openWorld(
  { settings, world }: Pick<CommandEnvironment, 'settings' | 'world'>,
  evaluation: Evaluation,
  seed: number,
): Promise<EvaluationWorld> {
  const clock = { nowMs: () => venueClock.nowMs() }
  let venueClock: Clock = { nowMs: () => openingTimeMs(evaluation) }
  const random = practiceRandom(seed)
  const service = await world.openPractice(evaluationSettings(settings, evaluation, seed), {
    clock,
    random,
  })
  venueClock = service.venueClock
  const client = createClient({ baseUrl: BASE_URL, transport: service.front, ...clock })
  const operator = createClient({ baseUrl: BASE_URL, transport: service.ops, ...clock })
  const account = await openTemporaryAccount(client, {
    clock,
    random,
    keyLifeMs: VIRTUAL_KEY_LIFE_MS,
  })

  const [accountId, publicKey] = [account.accountId.toLowerCase(), account.key]

  async function advance(step: AdvanceStep): Promise<SteppedRow> {
    const steps = [{ ...step, account: account.accountId }]
    const answer = await operator.post(ADVANCE_PATH, { steps })
    const [row] = isObject(answer) && Array.isArray(answer['steps']) ? answer['steps'] : []
    if (!Value.Check(SteppedRow, row)) throw new Error('the clock of the venue does not move')
    return row
  }

  const leftMs = () => evaluation.startMs - clock.nowMs()
  while (leftMs() > 0) await advance({ ms: Math.min(leftMs(), ADVANCE_LIMITS.msMax) })
  await injectFaults(service.front, evaluation.faults)
  return {
    ...clock,
    credentials: account,
    front: service.front,
    serveAgent: service.serveAgent,
    listenAgent: service.listenAgent,
    advance,
    standbyDueMs: () => service.standbys.dueMs({ accountId, publicKey }),
    sendStandbys: service.standbys.send,
    read: async (...reads) => (await advance({ ms: 0, reads: [...reads] })).reads,
    hash: async () => checkedHash(await operator.get('/venue/check')),
    close: service.close,
  }
}

/**
 * The venue's initial time. With a tape: the beginning of the tape, which is then replayed up to the start of the run.
 */
function openingTimeMs({ tape, startMs }: Evaluation): number {
  return tape?.firstMs ?? startMs
}

/** Injects the faults of an evaluation into its venue's wire, after the account was opened. */
async function injectFaults(front: ServiceTransport, faults: Evaluation['faults']): Promise<void> {
  const transport = withOperatorKey(front, OPERATOR_KEY)
  const operator = createClient({ baseUrl: BASE_URL, transport, nowMs: () => 0 })
  for (const fault of faults) await operator.post(commandPath('faults add'), fault)
}

function checkedHash(check: unknown): string {
  const { hash, broken } = isObject(check) ? check : {}
  if (typeof hash !== 'string' || !Array.isArray(broken)) throw new Error('the venue has no hash')
  if (broken.length > 0) throw new Error(`the venue's books do not add up: ${broken.join('; ')}`)
  return hash
}

/** Settings of a service for a single caller, without rate limits and without connections to other machines. */
function evaluationSettings(settings: Settings, evaluation: Evaluation, seed: number): Settings {
  return {
    ...settings,
    engines: null,
    opsListen: null,
    operatorKeys: [OPERATOR_KEY],
    affiliate: null,
    voucher: { path: null, keys: [] },
    backup: null,
    notify: null,
    webhooks: false,
    page: false,
    limits: {},
    traces: null,
    log: { ...settings.log, requestsPerSecond: 0 },
    swap: { ...settings.swap, at: 'embedded' },
    venue: {
      ...settings.venue,
      at: 'embedded',
      paperOf: null,
      vaults: 'embedded',
      stream: 'embedded',
      streamPrivate: 'embedded',
      clock: 'virtual',
      clockMover: 'accounts',
      startMs: openingTimeMs(evaluation),
      prices: evaluation.prices?.path ?? null,
      tape: evaluation.tape?.path ?? null,
      latency: evaluation.latency,
      listen: null,
      limits: null,
      seed,
      markets: evaluation.markets,
      activity: evaluation.activity,
      faucetMicros: evaluation.usdcMicros,
      scenario: evaluation.scenario,
    },
  }
}

/** Random bytes from a seed, only for keys of practice accounts. */
function practiceRandom(seed: number): Random {
  let drawn = 0
  return {
    bytes: (length) => {
      const bytes = new Uint8Array(length)
      for (let at = 0; at < length; at += 32) {
        drawn += 1
        bytes.set(
          keccak256(Buffer.from(`evaluation/${seed}/${drawn}`)).subarray(0, length - at),
          at,
        )
      }
      return bytes
    },
  }
}
