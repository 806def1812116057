import { after } from '../core/loop/guarded.ts'
import { UpstreamError } from '../core/ports.ts'

/** Calls that wait for a slot: one owner after another in turn, the calls of each owner in the order they came. */
export type WaitingLine = {
  readonly size: () => number
  /** How many calls are admitted before a new one of this owner, at least. */
  readonly ahead: (owner: string) => number
  /**
   * Waits to be admitted; answers what `admit` then answers, at once. Throws UpstreamError `saturated` (not sent) when
   * `waitMaxMs` have passed, or the call was displaced.
   */
  readonly wait: <Slot>(owner: string, waitMaxMs: number, admit: () => Slot) => Promise<Slot>
  /** Admits the oldest call of the first owner in turn that has room; answers whether there was one. */
  readonly admitFirst: (hasRoom: (owner: string) => boolean) => boolean
  /** Refuses the newest call of the owner with the most, where one of this owner would have fewer; answers whether it did. */
  readonly displaceFor: (owner: string) => boolean
}

/** A call that waits: what admits it, and what refuses it. */
type Waiting = { readonly admit: () => void; readonly refuse: () => void }

export function createWaitingLine(): WaitingLine {
  // Insertion order is the turn of owners: an owner whose call was admitted goes to the end.
  const byOwner = new Map<string, Set<Waiting>>()
  let size = 0

  function put(owner: string, call: Waiting): void {
    byOwner.set(owner, (byOwner.get(owner) ?? new Set()).add(call))
    size += 1
  }

  function remove(owner: string, call: Waiting): void {
    const own = byOwner.get(owner)
    if (!own?.delete(call)) return
    size -= 1
    if (own.size === 0) byOwner.delete(owner)
  }

  function wait<Slot>(owner: string, waitMaxMs: number, admit: () => Slot): Promise<Slot> {
    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    const giveUp = after('upstream', waitMaxMs, refuse)
    const call = { admit: enter, refuse }
    function end(): void {
      clearTimeout(giveUp)
      remove(owner, call)
    }
    function refuse(): void {
      end()
      reject(new UpstreamError('saturated', false))
    }
    function enter(): void {
      end()
      resolve(admit())
    }
    put(owner, call)
    return promise
  }

  function admitFirst(hasRoom: (owner: string) => boolean): boolean {
    for (const [owner, calls] of byOwner) {
      const [first] = calls
      if (!first || !hasRoom(owner)) continue
      byOwner.delete(owner)
      byOwner.set(owner, calls)
      first.admit()
      return true
    }
    return false
  }

  return {
    size: () => size,
    ahead: (owner) => {
      const own = byOwner.get(owner)?.size ?? 0
      return [...byOwner.values()].reduce((sum, calls) => sum + Math.min(calls.size, own), 0)
    },
    displaceFor: (owner) => {
      const newest = newestOfMost(byOwner, owner)
      newest?.refuse()
      return newest !== null
    },
    ...{ wait, admitFirst },
  }
}

type CallsByOwner = ReadonlyMap<string, ReadonlySet<Waiting>>

/** The newest call of the owner with the most; null where another call of this owner would make as many. */
function newestOfMost(byOwner: CallsByOwner, owner: string): Waiting | null {
  const [most] = [...byOwner.values()].toSorted((one, other) => other.size - one.size)
  const own = byOwner.get(owner)?.size ?? 0
  if (!most || most.size <= own + 1) return null
  return [...most].at(-1) ?? null
}
