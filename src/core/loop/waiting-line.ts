import { createDepths } from './depths.ts'
import { after } from './guarded.ts'
import { createList, type List, type ListEntry } from './list.ts'

/** Calls that wait for a slot: one owner after another in turn, the calls of each owner in the order they came. */
export type WaitingLine = {
  readonly size: () => number
  /** How many calls are admitted before a new one of this owner, at least. */
  readonly ahead: (owner: string) => number
  /**
   * Waits to be admitted; answers what `admit` then answers, at once. Throws the refusal of the line when `waitMaxMs` have
   * passed, or the call was displaced.
   */
  readonly wait: <Slot>(owner: string, waitMaxMs: number, admit: () => Slot) => Promise<Slot>
  /**
   * Admits the oldest call of the first owner in turn that has room; answers whether there was one. Its cost grows with the
   * number of owners before it that have no room.
   */
  readonly admitFirst: (hasRoom: (owner: string) => boolean) => boolean
  /** Refuses the newest call of the owner with the most, where one of this owner would have fewer; answers whether it did. */
  readonly displaceFor: (owner: string) => boolean
}

/** A call that waits: what admits it, and what refuses it. */
type Waiting = { readonly admit: () => void; readonly refuse: () => void }

/** An empty line. `refused` is what a call throws that is not admitted. */
export function createWaitingLine(refused: () => Error): WaitingLine {
  const { put, ...calls } = createTurns()

  function wait<Slot>(owner: string, waitMaxMs: number, admit: () => Slot): Promise<Slot> {
    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    const giveUp = after('upstream', waitMaxMs, refuse)
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

/** The calls of an owner, and its place in the turn of owners. */
type Owned = { readonly calls: List<Waiting>; turn: ListEntry<string> }

/** Waiting calls by their owners in turn. `put` answers what takes a call out again. */
function createTurns() {
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
    // Another call of this owner would make as many.
    if (most === null || depths.at(most) <= depths.at(owner) + 1) return false
    owners.get(most)?.calls.last()?.item.refuse()
    return true
  }

  const ahead = (owner: string) => depths.sumTo(depths.at(owner))
  return { size: () => size, ahead, put, admitFirst, displaceFor }
}
