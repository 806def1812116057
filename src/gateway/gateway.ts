import { createHash } from 'node:crypto'
import { createCache } from '../cache/cache.ts'
import { BUILD } from '../core/build-facts.ts'
import type { Clock, Log, Random, Store, Upstream } from '../core/ports.ts'
import { createVerifier } from '../crypto/verifier.ts'
import { createLimiter } from '../limits/limiter.ts'
import { createScrub } from '../scrub/scrub.ts'
import type { Settings } from '../settings/settings.ts'
import { LIMITS } from '../spec/limits.ts'
import type { Deps } from './deps.ts'
import { openReferralDesk, type Promote } from './referral/desk.ts'
import { createWriteLedger } from './relay/write-ledger.ts'

type Parts = {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly settings: Settings
  readonly store: Store
  readonly upstream: Upstream
  readonly promote: Promote | null
}

/** What the verbs need, made from the settings; windows still in debt are taken up again. */
export function createGateway({
  clock,
  random,
  log,
  settings,
  store,
  upstream,
  promote,
}: Parts): Deps {
  const { brokerId, serviceName, points, limits, scrubNames } = settings
  const limiter = createLimiter({
    clock,
    policies: limits,
    store: store.windows,
    keysMax: LIMITS.limiterKeysMax,
  })
  limiter.load()
  return {
    operator: { brokerId, serviceName, points },
    clock,
    random,
    log,
    store,
    upstream,
    scrub: createScrub({ names: scrubNames }),
    verifier: createVerifier({ keysMax: LIMITS.verifierKeysMax }),
    limiter,
    cache: createCache({
      clock,
      log,
      store: responsesOf(store, answersTag(settings)),
      memoryMaxBytes: LIMITS.cacheMemoryMaxBytes,
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

/** Changes with everything that shapes an answer: another venue, operator, name to blank or version has its own. */
function answersTag({ venue, brokerId, scrubNames }: Settings): string {
  const places = [venue.at, venue.vaults].map((at) => (at === 'embedded' ? venue.seed : at.origin))
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
