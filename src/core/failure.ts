import { FAILURES, type FailureCode } from '../spec/failures.ts'

/** Our own words and numbers, never an upstream's. */
export type FailureMeta = Readonly<Record<string, string | number | boolean | readonly string[]>>

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

/** The failure of a missing or malformed parameter, naming it. */
export function invalid(parameter: string, meta?: FailureMeta): Failure {
  return new Failure('invalid_request', { parameter, ...meta })
}

/** The wire shape of a failure: `{code, error, meta?}`. */
export function failureBody(failure: Failure): string {
  const { code, meta } = failure
  return JSON.stringify({ code, error: FAILURES[code].error, ...(meta && { meta }) })
}
