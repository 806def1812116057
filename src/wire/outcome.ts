import { Failure } from '../core/failure.ts'
import { UpstreamError } from '../core/ports.ts'
import type { CallKind } from './failures.ts'

/** The failure of a call without a usable answer. A write that may have arrived is `outcome_unknown`. */
export function failureOfUpstreamError(error: UpstreamError, kind: CallKind): Failure {
  const cause = { cause: error }
  if (error.sent && kind === 'write') return new Failure('outcome_unknown', undefined, cause)
  if (error.fault === 'saturated') return new Failure('upstream_busy', undefined, cause)
  if (error.fault === 'timeout') return new Failure('upstream_timeout', undefined, cause)
  return new Failure('upstream_unavailable', undefined, cause)
}

/**
 * Whether a write that ended in this error certainly did not happen, so that it may be sent again: nothing was
 * sent, or the venue turned it away unread (429, maintenance).
 */
export function certainlyNotDone(error: unknown): boolean {
  if (error instanceof UpstreamError) return !error.sent
  if (!(error instanceof Failure)) return false
  return error.code === 'upstream_busy' || error.code === 'upstream_unavailable'
}
