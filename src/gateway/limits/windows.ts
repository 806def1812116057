import type { PolicyName } from '../../contract/limits.ts'
import type { Limiter } from './limiter.ts'
import type { RateVerdict } from './verdict.ts'

/** Rate windows as the gateway has them: counted by this process alone, or together with other instances. */
export type RateWindows = Pick<
  Limiter,
  'charge' | 'refusal' | 'isBlocked' | 'flush' | 'load' | 'size' | 'list'
> & {
  /** Takes one request from a window that all instances share. */
  readonly take: (policy: PolicyName, key: string) => RateVerdict | Promise<RateVerdict>
  /** The decision of one window, without taking from it. */
  readonly show: (policy: PolicyName, key: string) => Promise<RateVerdict>
  /** Resets one window, in every place that keeps it. */
  readonly forget: (policy: PolicyName, key: string) => Promise<void>
  /** Exchanges with the other instances how much each has admitted; null for a process that runs alone. */
  readonly reconcile: (() => Promise<void>) | null
}

/** The windows of a process that runs alone. */
export function windowsAlone(limiter: Limiter): RateWindows {
  return {
    ...limiter,
    take: limiter.charge,
    show: async (...of) => limiter.show(...of),
    forget: async (...of) => limiter.forget(...of),
    reconcile: null,
  }
}
