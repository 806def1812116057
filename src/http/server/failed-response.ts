import { LIMITS } from '../../contract/limits.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { ROUTES, type Route } from '../../contract/routes.ts'
import { Failure, Refusal } from '../../core/failure.ts'
import type { Log } from '../../core/ports.ts'
import { parseQuery } from '../../core/query.ts'
import {
  type DeclaredParameter,
  suggestion,
  withParameterFaults,
} from '../../gateway/market/parameter-faults.ts'
import { storeErrorCode } from '../../store/connection/errors.ts'
import { requestTarget } from './request.ts'
import { failureResponse } from './responses.ts'

export type FailureOptions = {
  readonly log: Pick<Log, 'error'>
  /** Receives every error that is not a Failure. */
  readonly onCrash: (error: unknown) => void
  /** Adds hints about this deployment to a failure. */
  readonly explain: (failure: Failure) => Failure
}

/** Logs the cause of a store failure, and every error that is neither a Failure nor a refusal. */
export function reportFailed(
  { log, onCrash }: Pick<FailureOptions, 'log' | 'onCrash'>,
  error: unknown,
): void {
  if (error instanceof Refusal) return
  if (!(error instanceof Failure)) onCrash(error)
  else if (error.code === 'store_unavailable')
    log.error('store_unavailable', { error: storeErrorCode(error) })
}

/** The response to a route's error, with hints about the request from the tables of parameters. */
export function failedResponse(parts: FailureOptions, error: unknown, request: Request): Response {
  reportFailed(parts, error)
  if (!(error instanceof Failure)) return failureResponse(error)
  return failureResponse(parts.explain(hintedFailure(error, request)))
}

const NAMED: readonly Route[] = Object.values(ROUTES)
const PATHS = NAMED.map(({ path }) => path)

/** The query parameters that each path declares. */
const DECLARED_PARAMETERS = new Map<string, readonly DeclaredParameter[]>([
  ...NAMED.map(({ path, parameters = [] }) => [path, parameters] as const),
  ...Object.entries(OPERATIONS).map(
    ([id, { parameters }]) => [ROUTES.operation.path.replace('{id}', id), parameters] as const,
  ),
])

/** The failure with a hint about the request's query parameters. */
function hintedFailure(failure: Failure, { url }: Request): Failure {
  const [path = '', search = ''] = requestTarget(url).split('?')
  const declared = DECLARED_PARAMETERS.get(path)
  if (!declared || search.length > LIMITS.queryMaxChars) return failure
  return withParameterFaults(failure, declared, parseQuery(search))
}

/** The failure for an unknown path. It suggests the most similar route. */
export function unknownRoute({ url }: Request): Failure {
  const [path = ''] = requestTarget(url).split('?', 1)
  const meta = { reason: 'unknown_route', ...suggestion(path, PATHS) } as const
  return new Failure('not_found', meta)
}
