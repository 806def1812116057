import { Failure } from '../core/failure.ts'
import type { FailureCode } from '../spec/failures.ts'
import { STATUS_REFUSALS, type StatusRefusalName } from '../spec/swap.ts'

/** Why no transfer status is answered: a sentence of the closed list and its status, without a code. */
export class StatusRefusal extends Error {
  override readonly name = 'StatusRefusal'
  readonly refusal: StatusRefusalName
  readonly status: number
  readonly error: string
  readonly retryAfterSeconds: number | undefined
  constructor(refusal: StatusRefusalName, retryAfterSeconds?: number, options?: ErrorOptions) {
    const { status, error } = STATUS_REFUSALS[refusal]
    super(error, options)
    this.refusal = refusal
    this.status = status
    this.error = error
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * Any error as the status route answers it. Null for `rate_limited`, the one failure of this route that keeps its
 * code and the usual shape.
 */
export function toStatusRefusal(error: unknown): StatusRefusal | null {
  if (error instanceof StatusRefusal) return error
  const failure = error instanceof Failure ? error : new Failure('internal')
  if (failure.code === 'rate_limited') return null
  const seconds = failure.meta?.['retryAfterSeconds']
  return new StatusRefusal(
    OF_FAILURES[failure.code] ?? 'internal',
    typeof seconds === 'number' ? seconds : undefined,
    { cause: error },
  )
}

const OF_FAILURES: Readonly<Partial<Record<FailureCode, StatusRefusalName>>> = {
  invalid_request: 'malformed_hash',
  method_not_allowed: 'wrong_method',
  upstream_unavailable: 'unreachable',
  upstream_busy: 'unavailable',
  not_configured: 'unavailable',
  upstream_timeout: 'timeout',
}
