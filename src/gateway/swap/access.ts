import { Failure } from '../../core/failure.ts'
import type { Clock, Log, Random } from '../../core/ports.ts'
import type { Cache } from '../cache/cache.ts'
import type { SingleFlight } from '../cache/single-flight.ts'
import type { Reply } from '../scrub/reply.ts'
import type { Scrub } from '../scrub/scrub.ts'
import type { SwapProvider } from './provider.ts'

/** Access for the swap verbs. */
export type SwapAccess = {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly scrub: Scrub
  readonly cache: Cache
  /** Null if no swap upstream is configured. */
  readonly provider: SwapProvider | null
  /** Running quotes, so that identical concurrent requests share one upstream call. */
  readonly quotes: SingleFlight<Reply>
}

/** The provider. Throws Failure not_configured without a provider. */
export function requireProvider({ provider }: Pick<SwapAccess, 'provider'>): SwapProvider {
  if (provider === null) throw new Failure('not_configured')
  return provider
}

/** A reply of the swap routes. `name` is the name of a chain or token, never of the router. */
export function swapReply({ scrub }: Pick<SwapAccess, 'scrub'>, value: object): Reply {
  return scrub.value(value, { audience: 'public', exempt: ['name'] })
}
