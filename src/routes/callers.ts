import type { Caller } from '../gateway/deps.ts'

/** Who sent each request in flight: set by the front door, read by the routes. */
export type Callers = {
  readonly set: (request: Request, caller: Caller) => void
  readonly of: (request: Request) => Caller
}

const NOBODY: Caller = { address: '', limitKey: 'unknown' }

/** A registry that keeps nothing alive: entries go with their requests. */
export function createCallers(): Callers {
  const callers = new WeakMap<Request, Caller>()
  return {
    set: (request, caller) => {
      callers.set(request, caller)
    },
    of: (request) => callers.get(request) ?? NOBODY,
  }
}
