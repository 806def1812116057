import { REQUEST_ID_HEADER } from '../../contract/headers.ts'
import { HEADER_MAX_CHARS, HEADER_OTHER_MAX_CHARS } from '../../contract/limits.ts'
import { LOGGING } from '../../contract/operator/process.ts'
import { type Cidr, isInAnyBlock } from '../../core/client-address.ts'
import { invalidParameter } from '../../core/failure.ts'
import { toHex } from '../../core/hex.ts'
import type { Random } from '../../core/ports.ts'

/** The id of a request: the id that a trusted proxy sent, otherwise a new id. */
export type RequestIds = (request: Request, peer: string) => string

/** Matches ids without spaces and quotes, since ids appear in headers and in other programs' logs. */
const ACCEPTED_ID = new RegExp(`^[\\w.:/+=@-]{1,${LOGGING.requestIdMaxChars}}$`)

/** Creates ids that are unique across processes. A new id costs only a counter. */
export function createRequestIds(random: Random, trusted: readonly Cidr[]): RequestIds {
  const prefix = toHex(random.bytes(6))
  let count = 0
  return (request, peer) => {
    const given = trusted.length === 0 ? null : request.headers.get(REQUEST_ID_HEADER)
    if (given !== null && ACCEPTED_ID.test(given) && isInAnyBlock(trusted, peer)) return given
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}

/** The caller's traceparent (W3C Trace Context, version 00), or null. */
export function requestTraceparent({ headers }: Request): string | null {
  const given = headers.get('traceparent')
  return given !== null && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(given) ? given : null
}

const MAX_CHARS: Readonly<Record<string, number>> = HEADER_MAX_CHARS

/** A request header by its lower-case name; null if it is absent. Throws invalid_request if it is too long. */
export function requestHeader(headers: Pick<Headers, 'get'>, name: string): string | null {
  const value = headers.get(name)
  if (value !== null && value.length > (MAX_CHARS[name] ?? HEADER_OTHER_MAX_CHARS)) {
    throw invalidParameter(name, 'too_long')
  }
  return value
}

// A search from this position also works for `http://`, since a host has at least one character.
const AFTER_SCHEME = 'https://'.length

/** The path and query of a request, as sent. Without a Host header (HTTP/1.0), `url` is already the path and query. */
export function requestTarget(url: string): string {
  if (url.startsWith('/')) return url
  const start = url.indexOf('/', AFTER_SCHEME)
  return start < 0 ? '/' : url.slice(start)
}
