import type { PolicyName } from '../../contract/limits.ts'
import type { Limiter } from './limiter.ts'
import type { RateVerdict } from './verdict.ts'

/** Rate windows, counted by this process alone or shared with other instances. */
export type RateWindows = Pick<
  Limiter,
  'charge' | 'refusal' | 'isBlocked' | 'flush' | 'load' | 'size' | 'list'
> & {
  /** Charges one request to a window that all instances share. */
  readonly take: (policy: PolicyName, key: string) => RateVerdict | Promise<RateVerdict>
  /** The state of one window, without a charge. */
  readonly show: (policy: PolicyName, key: string) => Promise<RateVerdict>
  /** Resets one window, also in the store and in the shared engine. */
  readonly forget: (policy: PolicyName, key: string) => Promise<void>
  /** Exchanges the admitted requests with the other instances; null for a single instance. */
  readonly reconcile: (() => Promise<void>) | null
}

/** The windows of a single instance. */
export function localRateWindows(limiter: Limiter): RateWindows {
  return {
    ...limiter,
    take: limiter.charge,
    show: async (...of) => limiter.show(...of),
    forget: async (...of) => limiter.forget(...of),
    reconcile: null,
  }
}
