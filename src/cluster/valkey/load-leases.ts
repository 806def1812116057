import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import { EngineAway } from '../../core/engines/health.ts'
import { Failure } from '../../core/failure.ts'
import { every, reportUnexpected } from '../../core/loop/guarded.ts'
import type { Clock, StoredResponse } from '../../core/ports.ts'
import { isOutageCode, type LoadLeases, type Turn } from '../../gateway/cache/load-lease.ts'
import type { ValkeyEngine } from './engine.ts'
import { skipIfAway } from './engine-errors.ts'
import type { Epoch } from './epoch.ts'
import type { PubSub } from './pub-sub.ts'
import { answerKey, RESPONSE_HEAD_BYTES, readAnswer } from './responses.ts'
import { ENGINE_CLOCK, script } from './script.ts'

/** Returns the cached answer if it is fresh enough, or takes the lease if it is free, or else returns 0. */
const BEGIN = script(`
${ENGINE_CLOCK}
local at = tonumber(string.match(redis.call('GETRANGE', KEYS[1], 0, ${RESPONSE_HEAD_BYTES - 1}), '^%d+') or '')
if at and now - at <= tonumber(ARGV[1]) then return {redis.call('GET', KEYS[1]), now} end
if redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[3]) then return 1 end
return 0`)

const RENEW = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end`)

/** Publishes even if the lease has expired, because the answer is already stored. */
const END = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
redis.call('PUBLISH', ARGV[2], ARGV[3])`)

type LeaseOptions = {
  readonly engine: Pick<ValkeyEngine, 'run'>
  readonly pubSub: Pick<PubSub, 'channel' | 'message' | 'waitFor'>
  readonly epoch: Epoch
  readonly clock: Clock
  readonly monotonicMs: () => number
  /** A new name, unique among the holders of leases. */
  readonly newName: () => string
}

/** Load leases: one instance loads an answer for all. While the engine is away, every instance loads. */
export function valkeyLeases({
  engine,
  pubSub,
  epoch,
  clock,
  monotonicMs,
  newName,
}: LeaseOptions): LoadLeases {
  async function attempt(key: string, ageMaxMs: number): Promise<Turn | StoredResponse | null> {
    const holder = newName()
    try {
      const answer = answerKey(await epoch.name(), key)
      const lease = leaseKey(key)
      const reply = await engine.run(
        BEGIN,
        [answer, lease],
        [ageMaxMs, holder, VALKEY_LIMITS.leaseMs],
      )
      if (reply === 0) return null
      const [value, engineNowMs] = Array.isArray(reply) ? reply : []
      return readAnswer(value, engineNowMs, clock.nowMs()) ?? startTurn(key, holder)
    } catch (error) {
      reportUnexpected('valkey', error, EngineAway)
      return { end: () => undefined }
    }
  }

  function startTurn(key: string, holder: string): Turn {
    const run = (...args: Parameters<ValkeyEngine['run']>) =>
      void engine.run(...args).catch(skipIfAway)
    const renewal = every('valkey', VALKEY_LIMITS.leaseRenewMs, () =>
      run(RENEW, [leaseKey(key)], [holder, VALKEY_LIMITS.leaseMs]),
    )
    return {
      end: (failure) => {
        clearInterval(renewal)
        const message = pubSub.message('loaded', key, failure ?? undefined)
        run(END, [leaseKey(key)], [holder, pubSub.channel, message])
      },
    }
  }

  /**
   * Makes one attempt. Returns an answer or a lease; null if the caller should try again. Throws Failure if another
   * instance reports that its load failed with an outage, or `upstream_timeout` if no time is left.
   */
  async function look(key: string, ageMaxMs: number, leftMs: number) {
    // Starts to wait before asking for the lease, so that the end of the current load cannot be missed.
    const waiting = pubSub.waitFor('loaded', key)
    try {
      const found = await attempt(key, ageMaxMs)
      if (found) return found
      if (leftMs <= 0) throw new Failure('upstream_timeout')
      const word = await waiting.within(Math.min(leftMs, VALKEY_LIMITS.lookEveryMs))
      if (word !== null && isOutageCode(word)) throw new Failure(word)
      return null
    } finally {
      waiting.stop()
    }
  }

  async function begin(key: string, ageMaxMs: number, waitMaxMs: number) {
    const untilMs = monotonicMs() + waitMaxMs
    for (;;) {
      const found = await look(key, ageMaxMs, untilMs - monotonicMs())
      if (found) return found
    }
  }

  return { begin }
}

function leaseKey(key: string): string {
  return `prepd:load:${key}`
}
