import { VOUCHER_REFUSALS, type VoucherRefusalName } from '../../contract/voucher.ts'
import { Refusal, type RefusalOptions, toRefusal } from '../../core/failure.ts'

/** The refusal of a voucher. */
export class VoucherRefusal extends Refusal<VoucherRefusalName> {
  override readonly name = 'VoucherRefusal'
  constructor(refusal: VoucherRefusalName, options?: RefusalOptions) {
    super(refusal, VOUCHER_REFUSALS[refusal], options)
  }
}

/** Converts any error to a refusal of the voucher route; null for `rate_limited`. See `toRefusal`. */
export function toVoucherRefusal(error: unknown): VoucherRefusal | null {
  // The refusals for failures that occur before the verb runs.
  return toRefusal(error, VoucherRefusal, {
    invalid_request: 'malformed',
    method_not_allowed: 'wrong_method',
    payload_too_large: 'too_large',
    unsupported_media_type: 'wrong_type',
    not_available: 'closed',
    not_configured: 'unavailable',
    upstream_timeout: 'unreadable',
    store_unavailable: 'unkept',
  })
}
