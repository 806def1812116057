import { createHash } from 'node:crypto'
import { type Cache, createCache } from '../cache/cache.ts'
import { BUILD } from '../core/build-facts.ts'
import type { Clock, Log, Random, Store, Upstream } from '../core/ports.ts'
import { createVerifier, type Verifier } from '../crypto/verifier.ts'
import { createLimiter, type Limiter } from '../limits/limiter.ts'
import { createScrub, type Scrub } from '../scrub/scrub.ts'
import type { Settings } from '../settings/settings.ts'
import { LIMITS } from '../spec/limits.ts'
import type { Operator } from './operator.ts'
import { openReferralDesk, type Promote, type ReferralDesk } from './referral/desk.ts'
import { forgivingProofs } from './relay/forgiving-proofs.ts'
import { createWriteLedger, type WriteLedger } from './relay/write-ledger.ts'

/** The perpetuals, opened: what the verbs are given parts of. */
export type Gateway = {
  readonly operator: Operator
  readonly clock: Clock
  /** The venue's time: the wall's, unless the embedded venue has its own. */
  readonly venueClock: Clock
  readonly random: Random
  readonly log: Log
  readonly store: Store
  readonly upstream: Upstream
  readonly scrub: Scrub
  readonly verifier: Verifier
  readonly limiter: Limiter
  readonly cache: Cache
  readonly writes: WriteLedger
  readonly referral: ReferralDesk
}

type Parts = {
  readonly clock: Clock
  readonly venueClock: Clock
  readonly random: Random
  readonly log: Log
  readonly settings: Settings
  readonly store: Store
  readonly upstream: Upstream
  readonly promote: Promote | null
}

/** The gateway, made from the settings; windows still in debt are taken up again. */
export function createGateway({
  clock,
  venueClock,
  random,
  log,
  settings,
  store,
  upstream,
  promote,
}: Parts): Gateway {
  const { brokerId, serviceName, points, limits, scrubNames } = settings
  const elapsed = elapsedClock(clock, venueClock)
  const limiter = createLimiter({
    clock: elapsed,
    policies: limits,
    store: store.windows,
    keysMax: LIMITS.limiterKeysMax,
  })
  limiter.load()
  return {
    operator: { brokerId, serviceName, points, venueKey: settings.affiliate },
    clock,
    venueClock,
    random,
    log,
    store: { ...store, proofs: forgivingProofs(store.proofs, log) },
    upstream,
    scrub: createScrub({ names: scrubNames }),
    verifier: createVerifier({ keysMax: LIMITS.verifierKeysMax }),
    limiter,
    cache: createCache({
      clock: elapsed,
      wallClock: clock,
      log,
      store: responsesOf(store, answersTag(settings)),
      memoryMaxBytes: LIMITS.cacheMemoryMaxBytes,
      waitMaxMs: LIMITS.upstreamReadDeadlineMs,
    }),
    writes: createWriteLedger({
      clock,
      store: store.once,
      answersMaxBytes: LIMITS.replayAnswersMaxBytes,
    }),
    referral: openReferralDesk({
      key: settings.affiliate,
      rate: settings.referralRate,
      promote,
    }),
  }
}

/**
 * What ages answers and fills windows again: the wall's time, and what a venue of virtual time is moved beside it. It
 * goes on while either does.
 */
function elapsedClock(clock: Clock, venueClock: Clock): Clock {
  return venueClock === clock
    ? clock
    : { nowMs: () => clock.nowMs() + venueClock.nowMs() - VIRTUAL_EPOCH_MS }
}

/** Any fixed time will do: the same after a restart. */
const VIRTUAL_EPOCH_MS = Date.UTC(2000, 0, 1)

/** Changes with everything that shapes an answer: another venue, operator, name to blank or version has its own. */
function answersTag({ venue, brokerId, scrubNames }: Settings): string {
  const places = [venue.at, venue.vaults].map((at) =>
    at === 'embedded' ? `${venue.seed} ${venue.clock}` : at.origin,
  )
  const parts = [BUILD.version, BUILD.commit, brokerId, ...places, ...scrubNames]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}

function responsesOf({ responses }: Store, tag: string): Store['responses'] {
  return {
    get: (key) => responses.get(`${tag} ${key}`),
    put: (key, response, expiresAtMs) => responses.put(`${tag} ${key}`, response, expiresAtMs),
    clear: responses.clear,
  }
}
