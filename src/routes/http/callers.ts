import type { Caller } from '../../core/client-address.ts'

/** A caller, and the address at the other end of the socket, which may be a proxy's. */
export type Visitor = Caller & {
  readonly peer: string
  /** Whether the answer's body will be kept back. */
  readonly isHead: boolean
}

/** Who sent each request in flight: set by the front door, read by the routes. */
export type Callers = {
  readonly set: (request: Request, caller: Visitor) => void
  readonly of: (request: Request) => Visitor
}

/** Whoever cannot be told. */
export const NOBODY: Visitor = { address: '', limitKey: 'unknown', peer: '', isHead: false }

/** A registry that keeps nothing alive: entries go with their requests. */
export function createCallers(): Callers {
  const callers = new WeakMap<Request, Visitor>()
  return {
    set: (request, caller) => {
      callers.set(request, caller)
    },
    of: (request) => callers.get(request) ?? NOBODY,
  }
}
