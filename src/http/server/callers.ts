import { LIMITS } from '../../contract/limits.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import {
  type Caller,
  type Cidr,
  clientAddress,
  isInAnyBlock,
  limitKey,
} from '../../core/client-address.ts'
import { requestHeader } from './request.ts'

/** A caller with its socket's peer address, which may be the address of a proxy. */
export type ConnectedCaller = Caller & {
  readonly peer: string
  /** Whether the method is HEAD. The answer then has no body. */
  readonly isHead: boolean
}

/** The caller of each request in progress. The front sets the caller, and the routes read it. */
export type Callers = {
  readonly set: (request: Request, caller: ConnectedCaller) => void
  readonly of: (request: Request) => ConnectedCaller
}

/** The caller of a request whose address is unknown. */
export const UNKNOWN_CALLER: ConnectedCaller = {
  address: '',
  limitKey: 'unknown',
  peer: '',
  isHead: false,
}

/** Creates a registry with weak keys, so that entries disappear with their requests. */
export function createCallers(): Callers {
  const callers = new WeakMap<Request, ConnectedCaller>()
  return {
    set: (request, caller) => {
      callers.set(request, caller)
    },
    of: (request) => callers.get(request) ?? UNKNOWN_CALLER,
  }
}

/** The caller of a request, by its headers and its socket's peer address. Throws invalid_request for a long header. */
export type CallerResolver = (headers: Pick<Headers, 'get'>, peer: string) => ConnectedCaller

type KnownCaller = {
  readonly caller: ConnectedCaller
  /** Whether the peer sent a forwarding header but is not a trusted proxy. */
  readonly isIgnored: boolean
}

/**
 * Creates a resolver that believes forwarding headers of `trusted` proxies only. Recent callers are cached. `onIgnored`
 * receives each untrusted peer that sent a forwarding header.
 */
export function createCallerResolver(
  trusted: readonly Cidr[],
  onIgnored: (peer: string) => void,
): CallerResolver {
  const known = createBoundedMap<string, KnownCaller>(LIMITS.callersKnownMaxChars)

  function look(forwarded: string | null, peer: string): KnownCaller {
    const address = clientAddress(peer, forwarded, trusted)
    const caller = { address, limitKey: limitKey(address), peer, isHead: false }
    return { caller, isIgnored: forwarded !== null && !isInAnyBlock(trusted, peer) }
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
