import { FAILURES, type FailureCode, type Reason, type RefusalRow } from '../spec/failures.ts'

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

export type RefusalOptions = ErrorOptions & { readonly retryAfterSeconds?: number | undefined }

/** What a route without codes answers in place of a failure: a sentence of its own closed list, and its status. */
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
 * Any error as its route answers it: a refusal as it is, a failure by the name that `names` has for its code, anything
 * else as `internal`. Null for `rate_limited`, the one failure that keeps its code and the usual shape on every route.
 */
export function refusalOf<Own extends Refusal>(
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
