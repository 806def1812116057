import type { Reason } from '../spec/failure/reasons.ts'
import { FAILURES, type FailureCode } from '../spec/failures.ts'

/** One thing that is wrong with a request: where, why, what was expected, and what was probably meant. */
export type Fault = {
  readonly parameter: string
  readonly reason: Reason
  readonly expected?: string
  readonly suggestion?: string
}

/** Our own words and numbers, never an upstream's. */
export type FailureMeta = {
  readonly [name: string]: string | number | boolean | readonly string[] | readonly Fault[]
} & { readonly reason?: Reason }

/** The only error a caller is meant to read: a code of the closed list, and machine-readable extras. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: FailureCode
  readonly meta: FailureMeta | undefined

  constructor(code: FailureCode, meta?: FailureMeta, options?: ErrorOptions) {
    super(FAILURES[code].error, options)
    this.code = code
    this.meta = meta
  }
}

/** The failure of a parameter: which, and why. */
export function invalid(
  parameter: string,
  reason: Reason = 'malformed',
  meta?: FailureMeta,
): Failure {
  return new Failure('invalid_request', { parameter, reason, ...meta })
}

/** The failure of all that is wrong with a request: the first fault, and every one of them where there are more. */
export function faulty(code: FailureCode, faults: readonly [Fault, ...Fault[]]): Failure {
  const [first] = faults
  return new Failure(code, { ...first, ...(faults.length > 1 && { faults }) })
}

/** The wire shape of a failure: `{code, error, meta?}`. */
export function failureBody(failure: Failure): string {
  const { code, meta } = failure
  return JSON.stringify({ code, error: FAILURES[code].error, ...(meta && { meta }) })
}
