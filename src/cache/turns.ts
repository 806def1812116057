import type { Lifetime } from '../spec/limits.ts'
import type { LoadLeases } from './leases.ts'
import type { Entry } from './memory.ts'
import { outageCode } from './outage.ts'
import type { ReplyShelf } from './shelf.ts'
import { newMaxMs } from './standing.ts'

/** Loads an answer and keeps it, or takes one that another instance has just loaded. */
export type LoadInTurn = (
  key: string,
  lifetime: Lifetime,
  load: () => Promise<Entry>,
) => Promise<Entry>

type Parts = {
  readonly shelf: Pick<ReplyShelf, 'takeIn'>
  readonly leases: LoadLeases | null
  readonly waitMaxMs: number
}

/** Of a process that stands alone it is always the turn. */
export function createTurns({ shelf, leases, waitMaxMs }: Parts): LoadInTurn {
  if (!leases) return (_key, _lifetime, load) => load()
  return async (key, lifetime, load) => {
    const turn = await leases.begin(key, newMaxMs(lifetime), waitMaxMs)
    if ('bytes' in turn) return shelf.takeIn(key, turn) ?? load()
    try {
      const entry = await load()
      turn.end(null)
      return entry
    } catch (error) {
      turn.end(outageCode(error))
      throw error
    }
  }
}
