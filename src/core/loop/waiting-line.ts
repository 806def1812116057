import type { ProcessPart } from '../../contract/operator/process.ts'
import { createDepths, createList, type List, type ListEntry } from './depths.ts'
import { after } from './guarded.ts'

/** Calls that wait for a slot. Owners take turns (round robin); calls of one owner keep their order. */
export type WaitingLine = {
  readonly size: () => number
  /** Lower bound of the number of calls that are admitted before a new call of this owner. */
  readonly ahead: (owner: string) => number
  /**
   * Waits for admission and returns the result of `admit`, called at that moment. Throws the error of `refused` after
   * `waitMaxMs`, or if the call was displaced.
   */
  readonly wait: <Slot>(owner: string, waitMaxMs: number, admit: () => Slot) => Promise<Slot>
  /**
   * Admits the oldest call of the next owner in turn that has room. Returns whether there was such a call. The cost
   * grows with the number of skipped owners.
   */
  readonly admitFirst: (hasRoom: (owner: string) => boolean) => boolean
  /**
   * Refuses the newest call of the owner with the most calls, if `owner` would have fewer. Returns whether a call was
   * refused.
   */
  readonly displaceFor: (owner: string) => boolean
}

/** A waiting call, with the functions that admit and refuse it. */
type Waiting = { readonly admit: () => void; readonly refuse: () => void }

/**
 * Creates an empty line. `refused` makes the error of a call that is not admitted. Errors of timers are reported for
 * `part`.
 */
export function createWaitingLine(part: ProcessPart, refused: () => Error): WaitingLine {
  const { put, ...calls } = createOwnerTurns()

  function wait<Slot>(owner: string, waitMaxMs: number, admit: () => Slot): Promise<Slot> {
    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    const giveUp = after(part, waitMaxMs, refuse)
    const remove = put(owner, { admit: enter, refuse })
    function end(): void {
      clearTimeout(giveUp)
      remove()
    }
    function refuse(): void {
      end()
      reject(refused())
    }
    function enter(): void {
      end()
      resolve(admit())
    }
    return promise
  }

  return { ...calls, wait }
}

/** The waiting calls of an owner, and the owner's place in the order of owners. */
type Owned = { readonly calls: List<Waiting>; turn: ListEntry<string> }

/** Waiting calls by their owners in turn. `put` returns the function that removes the call. */
function createOwnerTurns() {
  const owners = new Map<string, Owned>()
  const turns = createList<string>()
  const depths = createDepths()
  let size = 0

  function put(owner: string, call: Waiting): () => void {
    const owned = owners.get(owner) ?? { calls: createList(), turn: turns.add(owner) }
    const entry = owned.calls.add(call)
    owners.set(owner, owned)
    depths.count(owner, 1)
    size += 1
    return () => {
      owned.calls.remove(entry)
      depths.count(owner, -1)
      size -= 1
      if (depths.at(owner) > 0) return
      turns.remove(owned.turn)
      owners.delete(owner)
    }
  }

  function admitFirst(hasRoom: (owner: string) => boolean): boolean {
    for (let turn = turns.first(); turn; turn = turn.next) {
      const owned = owners.get(turn.item)
      if (!owned || !hasRoom(turn.item)) continue
      turns.remove(turn)
      owned.turn = turns.add(turn.item)
      owned.calls.first()?.item.admit()
      return true
    }
    return false
  }

  function displaceFor(owner: string): boolean {
    const most = depths.deepest()
    // With the new call, this owner would have at least as many calls as the owner with the most.
    if (most === null || depths.at(most) <= depths.at(owner) + 1) return false
    owners.get(most)?.calls.last()?.item.refuse()
    return true
  }

  const ahead = (owner: string) => depths.sumTo(depths.at(owner))
  return { size: () => size, ahead, put, admitFirst, displaceFor }
}
