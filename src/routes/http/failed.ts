import { Failure } from '../../core/failure.ts'
import type { Log } from '../../core/ports.ts'
import { codeOf } from '../../store/trouble.ts'
import { explainedOf } from './explained.ts'
import { failureResponse } from './responses.ts'

export type FailedParts = {
  readonly log: Pick<Log, 'error'>
  /** Told of what is no Failure. */
  readonly onCrash: (error: unknown) => void
  /** A failure with what this deployment can add to it. */
  readonly explain: (failure: Failure) => Failure
}

/** What a route threw, as HTTP, with what its tables say of the request. */
export function failedResponse(
  { log, onCrash, explain }: FailedParts,
  error: unknown,
  request: Request,
): Response {
  if (!(error instanceof Failure)) {
    onCrash(error)
    return failureResponse(error)
  }
  if (error.code === 'store_unavailable') log.error('store_unavailable', { error: codeOf(error) })
  return failureResponse(explain(explainedOf(error, request)))
}
