import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Client, type Credentials, createClient, type Transport } from '../../client/client.ts'
import { isObject } from '../../core/json.ts'
import type { Random } from '../../core/ports.ts'
import { keccak256 } from '../../crypto/keccak.ts'
import type { Settings } from '../../settings/settings.ts'
import { DAY_MS } from '../../spec/durations.ts'
import { ADVANCE_PATH, type AdvanceStep } from '../../spec/venue/advance.ts'
import { openAccount } from '../account/open.ts'
import type { CommandDeps, PracticeService } from '../command/command.ts'
import type { Evaluation } from './evaluation.ts'

/** The embedded venue of one run, with the account of its agent. */
export type EvaluationWorld = {
  readonly nowMs: () => number
  readonly credentials: Credentials
  /** The public API, as the agent's tools reach it. */
  readonly front: Transport
  readonly client: Client
  readonly serveAgent: PracticeService['serveAgent']
  /** Moves the venue's time, and the venue with it. Throws ClientFailure for a step that it refuses. */
  readonly advance: (step: AdvanceStep) => Promise<SteppedRow>
  /** The world's hash, which is that of every run with the same calls. Throws when the venue's books do not add up. */
  readonly hash: () => Promise<string>
  readonly close: () => Promise<void>
}

/** What the venue answers to one step of its clock. */
const SteppedRow = Type.Object({
  nowMs: Type.Integer(),
  advancedMs: Type.Integer(),
  ended: Type.String(),
  reads: Type.Array(Type.Unknown()),
})
export type SteppedRow = Static<typeof SteppedRow>

const BASE_URL = 'http://localhost'
/** Longer than the longest run. */
const KEY_LIFE_MS = 364 * DAY_MS

/** Opens the world of a seed, which also draws the keys of the account, so that equal runs have equal hashes. */
export async function openWorld(
  { settings, world }: Pick<CommandDeps, 'settings' | 'world'>,
  evaluation: Evaluation,
  seed: number,
): Promise<EvaluationWorld> {
  let nowMs = evaluation.startMs
  const clock = { nowMs: () => nowMs }
  const random = randomOf(seed)
  const service = await world.openPractice(settingsOf(settings, evaluation, seed), {
    clock,
    random,
  })
  const client = createClient({ baseUrl: BASE_URL, transport: service.front, ...clock })
  const operator = createClient({ baseUrl: BASE_URL, transport: service.ops, ...clock })
  const opened = await openAccount(client, { clock, random, keyLifeMs: KEY_LIFE_MS })

  async function advance(step: AdvanceStep): Promise<SteppedRow> {
    const body = JSON.stringify({ steps: [step] })
    const answer = await client.relay(opened, { method: 'POST', path: ADVANCE_PATH, body })
    const [row] = isObject(answer) && Array.isArray(answer['steps']) ? answer['steps'] : []
    if (!Value.Check(SteppedRow, row)) throw new Error('the clock of the venue does not move')
    nowMs = row.nowMs
    return row
  }

  return {
    ...clock,
    credentials: opened,
    front: service.front,
    client,
    serveAgent: service.serveAgent,
    advance,
    hash: async () => hashOf(await operator.get('/venue/check')),
    close: service.close,
  }
}

function hashOf(check: unknown): string {
  const { hash, broken } = isObject(check) ? check : {}
  if (typeof hash !== 'string' || !Array.isArray(broken)) throw new Error('the venue has no hash')
  if (broken.length > 0) throw new Error(`the venue's books do not add up: ${broken.join('; ')}`)
  return hash
}

/** A service for one caller: no rate limits of its own, and nothing that reaches outside. */
function settingsOf(settings: Settings, evaluation: Evaluation, seed: number): Settings {
  return {
    ...settings,
    engines: null,
    opsListen: null,
    operatorKeys: [],
    affiliate: null,
    voucher: { path: null, keys: [] },
    backup: null,
    notify: null,
    page: false,
    limits: {},
    traces: null,
    log: { ...settings.log, requestsPerSecond: 0 },
    swap: { ...settings.swap, at: 'embedded' },
    venue: {
      ...settings.venue,
      at: 'embedded',
      vaults: 'embedded',
      stream: 'embedded',
      streamPrivate: 'embedded',
      clock: 'virtual',
      clockMover: 'accounts',
      startMs: evaluation.startMs,
      prices: null,
      tape: null,
      latency: null,
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

/** Bytes from a seed, for keys that hold practice money only. */
function randomOf(seed: number): Random {
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
