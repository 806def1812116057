import { FAILURES, type FailureCode, type Reason, type RefusalRow } from '../contract/failures.ts'

/** An error in a request: the parameter, the reason, the expected value and a suggestion. */
export type RequestFault = {
  readonly parameter: string
  readonly reason: Reason
  readonly expected?: string
  readonly suggestion?: string
}

/** Machine-readable details of a failure. They never come from an upstream. */
export type FailureMeta = {
  readonly [name: string]: string | number | boolean | readonly string[] | readonly RequestFault[]
} & { readonly reason?: Reason }

/** The only error that callers get: a code of the closed list, and machine-readable details. */
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

/** The failure of one invalid parameter. */
export function invalidParameter(
  parameter: string,
  reason: Reason = 'malformed',
  meta?: FailureMeta,
): Failure {
  return new Failure('invalid_request', { parameter, reason, ...meta })
}

/** The failure of an invalid request. It names the first fault; several faults are listed too. */
export function faultsFailure(
  code: FailureCode,
  faults: readonly [RequestFault, ...RequestFault[]],
): Failure {
  const [first] = faults
  return new Failure(code, { ...first, ...(faults.length > 1 && { faults }) })
}

/** The wire shape of a failure: `{code, error, meta?}`. */
export function failureBody(failure: Failure): string {
  const { code, meta } = failure
  return JSON.stringify({ code, error: FAILURES[code].error, ...(meta && { meta }) })
}

export type RefusalOptions = ErrorOptions & { readonly retryAfterSeconds?: number | undefined }

/** The failure of a route without codes: a sentence of the route's closed list, and its HTTP status. */
export class Refusal<Name extends string = string> extends Error {
  readonly refusal: Name
  readonly status: number
  readonly error: string
  readonly retryAfterSeconds: number | undefined
  constructor(
    refusal: Name,
    row: RefusalRow,
    { retryAfterSeconds, ...options }: RefusalOptions = {},
  ) {
    super(row.error, options)
    this.refusal = refusal
    this.status = row.status
    this.error = row.error
    this.retryAfterSeconds = retryAfterSeconds ?? row.retryAfterSeconds
  }
}

/**
 * Converts an error to a route's refusal:
 * - a refusal stays,
 * - a failure becomes the refusal that `names` has for its code,
 * - any other error becomes `internal`,
 * - `rate_limited` gives null, because it has the same shape on every route.
 */
export function toRefusal<Own extends Refusal>(
  error: unknown,
  Own: new (refusal: Own['refusal'] | 'internal', options?: RefusalOptions) => Own,
  names: Readonly<Partial<Record<FailureCode, Own['refusal']>>>,
): Own | null {
  if (error instanceof Own) return error
  const { code, meta } = error instanceof Failure ? error : new Failure('internal')
  if (code === 'rate_limited') return null
  const seconds = meta?.['retryAfterSeconds']
  return new Own(names[code] ?? 'internal', {
    cause: error,
    ...(typeof seconds === 'number' && { retryAfterSeconds: seconds }),
  })
}
