import { LIMITS } from '../../contract/limits.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import { type Caller, type Cidr, clientAddress, isIn, limitKey } from '../../core/client-address.ts'
import { headerOf } from './request.ts'

/** A caller, and the address at the other end of the socket, which may be a proxy's. */
export type ConnectedCaller = Caller & {
  readonly peer: string
  /** Whether the answer's body will be kept back. */
  readonly isHead: boolean
}

/** The caller of each request in flight: set by the front door, read by the routes. */
export type Callers = {
  readonly set: (request: Request, caller: ConnectedCaller) => void
  readonly of: (request: Request) => ConnectedCaller
}

/** A caller whose address is unknown. */
export const NOBODY: ConnectedCaller = { address: '', limitKey: 'unknown', peer: '', isHead: false }

/** A registry that keeps nothing alive: entries go with their requests. */
export function createCallers(): Callers {
  const callers = new WeakMap<Request, ConnectedCaller>()
  return {
    set: (request, caller) => {
      callers.set(request, caller)
    },
    of: (request) => callers.get(request) ?? NOBODY,
  }
}

/** The caller of a request, by the address at the other end of its socket. Throws invalid_request for a header too long. */
export type CallerOf = (headers: Pick<Headers, 'get'>, peer: string) => ConnectedCaller

type KnownCaller = {
  readonly caller: ConnectedCaller
  /** Whether the peer names a caller and is no trusted proxy. */
  readonly isIgnored: boolean
}

/**
 * Finds each caller's address; `trusted` proxies are believed about their callers. Recent callers are cached.
 * For each request whose peer names a caller and is no trusted proxy, `onIgnored` receives the peer.
 */
export function createCallerOf(
  trusted: readonly Cidr[],
  onIgnored: (peer: string) => void = () => undefined,
): CallerOf {
  const known = createBoundedMap<string, KnownCaller>(LIMITS.callersKnownMaxChars)

  function look(forwarded: string | null, peer: string): KnownCaller {
    const address = clientAddress(peer, forwarded, trusted)
    const caller = { address, limitKey: limitKey(address), peer, isHead: false }
    return { caller, isIgnored: forwarded !== null && !isIn(trusted, peer) }
  }

  return (headers, peer) => {
    if (trusted.length === 0 && headers.get('x-forwarded-for') !== null) onIgnored(peer)
    const forwarded = trusted.length === 0 ? null : headerOf(headers, 'x-forwarded-for')
    const key = forwarded === null ? peer : `${peer} ${forwarded}`
    const found = known.get(key)
    const entry = found ?? look(forwarded, peer)
    if (!found) known.put(key, entry, key.length)
    if (entry.isIgnored) onIgnored(peer)
    return entry.caller
  }
}
