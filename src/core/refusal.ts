import type { FailureCode, RefusalRow } from '../spec/failures.ts'
import { Failure } from './failure.ts'

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
