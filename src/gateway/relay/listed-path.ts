import { type Method, RELAY_PATHS } from '../../contract/allowlist.ts'
import type { Envelope } from '../../contract/envelope.ts'
import type { Caller } from '../../core/client-address.ts'
import { Failure, invalid } from '../../core/failure.ts'
import { matchRelay, type RelayMatch } from '../../upstream/wire/allowlist.ts'
import { admitRead, type Charging } from '../limits/admission.ts'
import { suggestion } from '../market/explained.ts'

/**
 * Charges a request that failed before it had a window of its own, so that nonsense is not free.
 * Answers the failure to give: the caller's own, or rate_limited.
 */
export function chargeMalformed(limiter: Charging, caller: Caller): void {
  admitRead(limiter, `malformed:${caller.limitKey}`)
}

/**
 * The row of the allowlist and the method of an envelope. Throws Failure, which is charged to the caller: forbidden,
 * invalid_request, rate_limited.
 */
export function pathOf(limiter: Charging, envelope: Envelope, caller: Caller) {
  const found = matchPath(envelope)
  if (found instanceof Failure) {
    chargeMalformed(limiter, caller)
    throw withMeant(found, envelope)
  }
  return found
}

/** A path that is not relayed with the one of a similar name, suggested only to a read; any other failure as it is. */
function withMeant(failure: Failure, { method, path }: Envelope): Failure {
  const { meta } = failure
  if (meta?.reason !== 'not_relayed' || meta['parameter'] !== 'path') return failure
  const [pathname = ''] = path.split('?', 1)
  const meant = suggestion(pathname, LISTED)
  const { suggestion: similar } = meant
  if (method === 'GET' || !similar) return new Failure(failure.code, { ...meta, ...meant })
  return new Failure(failure.code, { ...meta, next: `${similar} has a similar name. ${OTHER}` })
}

const OTHER = 'Another path is another write: send it only if it is the one that was meant.'

const LISTED = RELAY_PATHS.map((row) => row.path)

function matchPath({
  method,
  path,
  body,
}: Envelope): { match: RelayMatch; method: Method } | Failure {
  try {
    const match = matchRelay(method, path)
    if (body && method === 'GET') return invalid('body', 'conflicting')
    if (body && !body.isWellFormed()) return invalid('body')
    return { match, method }
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}
