import {
  type NoRouteReason,
  type StatusRefusalName,
  SWAP_STATUS_REFUSALS,
} from '../../contract/swap.ts'
import { Failure, Refusal, type RefusalOptions, toRefusal } from '../../core/failure.ts'

/** The refusal of a transfer status. */
export class StatusRefusal extends Refusal<StatusRefusalName> {
  override readonly name = 'StatusRefusal'
  constructor(refusal: StatusRefusalName, options?: RefusalOptions) {
    super(refusal, SWAP_STATUS_REFUSALS[refusal], options)
  }
}

/** Converts any error to a refusal of the status route; null for `rate_limited`. See `toRefusal`. */
export function toStatusRefusal(error: unknown): StatusRefusal | null {
  return toRefusal(error, StatusRefusal, {
    invalid_request: 'malformed_hash',
    method_not_allowed: 'wrong_method',
    upstream_unavailable: 'unreachable',
    upstream_busy: 'unavailable',
    not_configured: 'unavailable',
    upstream_timeout: 'timeout',
  })
}

/** The failure of a quote for which there is no route. */
export function noRoute(reason: NoRouteReason): Failure {
  return new Failure('no_route', { reason })
}
