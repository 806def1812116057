import { createBoundedMap } from '../../core/bounded-map.ts'
import { type Cidr, clientAddress, limitKey } from '../../core/client-address.ts'
import { LIMITS } from '../../spec/limits.ts'
import type { Visitor } from './callers.ts'
import { headerOf } from './header.ts'

/** Who sent a request, by the address at the other end of its socket. Throws invalid_request for a header too long. */
export type Visitors = (headers: Pick<Headers, 'get'>, peer: string) => Visitor

/** Tells callers apart; `trusted` proxies are believed about whom they pass on. Who came lately is known at once. */
export function createVisitors(trusted: readonly Cidr[]): Visitors {
  const known = createBoundedMap<string, Visitor>(LIMITS.visitorsKnownMaxChars)

  return (headers, peer) => {
    const forwarded = trusted.length === 0 ? null : headerOf(headers, 'x-forwarded-for')
    const said = forwarded === null ? peer : `${peer} ${forwarded}`
    const found = known.get(said)
    if (found) return found
    const address = clientAddress(peer, forwarded, trusted)
    const visitor = { address, limitKey: limitKey(address), peer, isHead: false }
    known.put(said, visitor, said.length)
    return visitor
  }
}
