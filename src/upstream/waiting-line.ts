import { after } from '../core/loop/guarded.ts'
import { UpstreamError } from '../core/ports.ts'

/** Calls that wait for a slot. Owners take turns (round robin); calls of one owner keep their order. */
export type WaitingLine = {
  readonly size: () => number
  /** Minimum number of calls that are admitted before a new one of this owner. */
  readonly ahead: (owner: string) => number
  /**
   * Waits for admission and returns the result of `admit`, called at that moment. Throws UpstreamError `saturated` (not
   * sent) after `waitMaxMs`, or if the call was displaced.
   */
  readonly wait: <Slot>(owner: string, waitMaxMs: number, admit: () => Slot) => Promise<Slot>
  /** Admits the oldest call of the next owner in turn that has room. Returns whether there was one. */
  readonly admitFirst: (hasRoom: (owner: string) => boolean) => boolean
  /**
   * Refuses the newest call of the owner with the most calls, if this owner would have fewer. Returns whether it did.
   */
  readonly displaceFor: (owner: string) => boolean
}

/** A waiting call, with the functions that admit and refuse it. */
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

/** The newest call of the owner with the most calls; null if one more call of this owner would equal that number. */
function newestOfMost(byOwner: CallsByOwner, owner: string): Waiting | null {
  const [most] = [...byOwner.values()].toSorted((one, other) => other.size - one.size)
  const own = byOwner.get(owner)?.size ?? 0
  if (!most || most.size <= own + 1) return null
  return [...most].at(-1) ?? null
}
