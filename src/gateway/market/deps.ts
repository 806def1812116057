import type { Cache } from '../../cache/cache.ts'
import type { Meter } from '../../core/observing/meter.ts'
import type { Clock, Upstream } from '../../core/ports.ts'
import type { Scrub } from '../../scrub/scrub.ts'
import type { Operator } from '../operator.ts'

/** What the market reads use: the venue, what is kept of it, and the operator's id there. */
export type MarketDeps = {
  readonly upstream: Upstream
  readonly cache: Cache
  readonly scrub: Scrub
  readonly operator: Pick<Operator, 'brokerId'>
  readonly meter: Pick<Meter, 'counter'>
}

/** What a market read uses besides: the time at the venue, where its answer does not say. */
export type TimedDeps = MarketDeps & { readonly venueClock: Clock }
