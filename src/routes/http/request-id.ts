import { type Cidr, isIn } from '../../core/client-address.ts'
import { toHex } from '../../core/hex.ts'
import type { Random } from '../../core/ports.ts'
import { LOGGING } from '../../spec/operator/process.ts'

/** The id of a request: the one that a trusted proxy gave it, or a new one. */
export type RequestIds = (request: Request, peer: string) => string

/** Words without spaces or quotes: an id stands in headers and lines of other programs. */
const TAKEN = new RegExp(`^[\\w.:/+=@-]{1,${LOGGING.requestIdMaxChars}}$`)

/** Ids that no other process gives out, and that cost a counter. */
export function createRequestIds(random: Random, trusted: readonly Cidr[]): RequestIds {
  const prefix = toHex(random.bytes(6))
  let count = 0
  return (request, peer) => {
    const given = trusted.length === 0 ? null : request.headers.get('x-request-id')
    if (given !== null && TAKEN.test(given) && isIn(trusted, peer)) return given
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}

/** The caller's place in its own trace (W3C Trace Context, version 00), or null. */
export function traceparentOf({ headers }: Request): string | null {
  const given = headers.get('traceparent')
  return given !== null && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(given) ? given : null
}
