import { Failure } from '../core/failure.ts'
import type { FailureCode } from '../spec/failures.ts'
import { type RefusalName, type RefusalRow, VOUCHER_REFUSALS } from '../spec/voucher.ts'

/** Why no voucher is answered: a sentence of the closed list and its status, without a code. */
export class VoucherRefusal extends Error {
  override readonly name = 'VoucherRefusal'
  readonly refusal: RefusalName
  readonly status: number
  readonly error: string
  readonly retryAfterSeconds: number | undefined
  constructor(refusal: RefusalName, options?: ErrorOptions) {
    const row: RefusalRow = VOUCHER_REFUSALS[refusal]
    super(row.error, options)
    this.refusal = refusal
    this.status = row.status
    this.error = row.error
    this.retryAfterSeconds = row.retryAfterSeconds
  }
}

/**
 * Any error as the route answers it. Null for `rate_limited`, the one failure of this route that keeps its code and
 * the usual shape.
 */
export function toVoucherRefusal(error: unknown): VoucherRefusal | null {
  if (error instanceof VoucherRefusal) return error
  const code = error instanceof Failure ? error.code : 'internal'
  if (code === 'rate_limited') return null
  return new VoucherRefusal(OF_FAILURES[code] ?? 'internal', { cause: error })
}

/** What goes wrong before the verb is reached, in the words of this route. */
const OF_FAILURES: Readonly<Partial<Record<FailureCode, RefusalName>>> = {
  invalid_request: 'malformed',
  method_not_allowed: 'wrong_method',
  payload_too_large: 'too_large',
  unsupported_media_type: 'wrong_type',
  not_configured: 'unavailable',
  upstream_timeout: 'unreadable',
}
