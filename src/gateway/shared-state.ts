import { VALKEY_LIMITS } from '../contract/engines/valkey.ts'
import type { FeedBus } from '../core/feed.ts'
import type { NoticeLeases } from '../core/notice-leases.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { Log, Store } from '../core/ports.ts'
import type { LoadLeases } from './cache/load-lease.ts'
import { errorName } from './cache/responses.ts'
import type { StoreCosts } from './cache/store-share.ts'
import {
  createLimiter,
  type LimiterOptions,
  localRateWindows,
  type RateWindows,
} from './limits/limiter.ts'
import type { KeptOutcomes } from './relay/outcomes.ts'

/** State that all instances share, besides the store. Each part may be unreachable. */
export type SharedState = {
  /** Opens the windows that all instances share. */
  readonly openWindows: (parts: LimiterOptions, meter: Meter) => RateWindows
  readonly leases: LoadLeases
  readonly noticeLeases: NoticeLeases
  readonly outcomes: KeptOutcomes
  readonly feedBus: FeedBus
  /** Calls back when a different instance has purged the answers. */
  readonly onPurge: (listener: () => void) => void
}

/**
 * The costs of the shared cache. Even short-lived answers are shared, because other instances soon need the same
 * answers.
 */
export const SHARED_COSTS: StoreCosts = {
  lifeMinMs: 0,
  minuteMaxBytes: VALKEY_LIMITS.sharedMinuteMaxBytes,
  rowBytes: 1024,
  copies: 1,
}

/** Opens the rate windows that all instances share, or the rate windows of a single instance. */
export function openWindows(
  shared: SharedState | null,
  parts: LimiterOptions,
  meter: Meter,
): RateWindows {
  return shared ? shared.openWindows(parts, meter) : localRateWindows(createLimiter(parts))
}

type Proofs = Store['proofs']

/**
 * Wraps proofs so that their failures never fail an answer. A pair that cannot be looked up counts as unproven. A pair
 * that cannot be stored is proven again by the next answer.
 */
export function forgivingProofs(proofs: Proofs, log: Log): Proofs {
  function forgive<Value>(what: string, instead: Value) {
    return (error: unknown): Value => {
      log.warn('proof_failed', { what, error: errorName(error) })
      return instead
    }
  }
  const unknown = forgive('has', false)
  return {
    has: (account, key) => proofs.has(account, key).catch(unknown),
    add: (...pair) => proofs.add(...pair).catch(forgive('add', undefined)),
    remove: (...pair) => proofs.remove(...pair).catch(forgive('remove', undefined)),
  }
}
