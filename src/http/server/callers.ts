import { LIMITS } from '../../contract/limits.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import { type Caller, type Cidr, clientAddress, isIn, limitKey } from '../../core/client-address.ts'
import { requestHeader } from './request.ts'

/** A caller, and the socket's peer address, which may be a proxy's. */
export type ConnectedCaller = Caller & {
  readonly peer: string
  /** Whether the request is a HEAD, so that the body is not sent. */
  readonly isHead: boolean
}

/** The caller of each request in flight: the front sets it, the routes read it. */
export type Callers = {
  readonly set: (request: Request, caller: ConnectedCaller) => void
  readonly of: (request: Request) => ConnectedCaller
}

/** A caller whose address is unknown. */
export const UNKNOWN_CALLER: ConnectedCaller = {
  address: '',
  limitKey: 'unknown',
  peer: '',
  isHead: false,
}

/** A weak registry: entries are collected with their requests. */
export function createCallers(): Callers {
  const callers = new WeakMap<Request, ConnectedCaller>()
  return {
    set: (request, caller) => {
      callers.set(request, caller)
    },
    of: (request) => callers.get(request) ?? UNKNOWN_CALLER,
  }
}

/** The caller of a request, by its socket's peer address. Throws invalid_request for an overlong header. */
export type CallerResolver = (headers: Pick<Headers, 'get'>, peer: string) => ConnectedCaller

type KnownCaller = {
  readonly caller: ConnectedCaller
  /** Whether the peer sent a forwarding header without being a trusted proxy. */
  readonly isIgnored: boolean
}

/**
 * Determines each caller's address; forwarding headers count only from `trusted` proxies. Recent callers are cached.
 * `onIgnored` receives each peer that sent such a header without being trusted.
 */
export function createCallerResolver(
  trusted: readonly Cidr[],
  onIgnored: (peer: string) => void,
): CallerResolver {
  const known = createBoundedMap<string, KnownCaller>(LIMITS.callersKnownMaxChars)

  function look(forwarded: string | null, peer: string): KnownCaller {
    const address = clientAddress(peer, forwarded, trusted)
    const caller = { address, limitKey: limitKey(address), peer, isHead: false }
    return { caller, isIgnored: forwarded !== null && !isIn(trusted, peer) }
  }

  return (headers, peer) => {
    if (trusted.length === 0 && headers.get('x-forwarded-for') !== null) onIgnored(peer)
    const forwarded = trusted.length === 0 ? null : requestHeader(headers, 'x-forwarded-for')
    const key = forwarded === null ? peer : `${peer} ${forwarded}`
    const found = known.get(key)
    const entry = found ?? look(forwarded, peer)
    if (!found) known.put(key, entry, key.length)
    if (entry.isIgnored) onIgnored(peer)
    return entry.caller
  }
}
