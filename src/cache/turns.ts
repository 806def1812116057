import type { Lifetime } from '../spec/limits.ts'
import type { LoadLeases } from './leases.ts'
import type { Entry } from './memory.ts'
import { outageCode } from './outage.ts'
import type { ReplyShelf } from './shelf.ts'
import { within } from './single-flight.ts'
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

/**
 * Of a process that stands alone it is always the turn. Throws what the load threw, or Failure `upstream_timeout` when
 * the turn and the load take longer than `waitMaxMs` together.
 */
export function createTurns({ shelf, leases, waitMaxMs }: Parts): LoadInTurn {
  if (leases === null) return (_key, _lifetime, load) => load()
  const { begin } = leases
  // Waiting for another instance and loading have one deadline together: a caller waits for both.
  return (key, lifetime, load) => within(inTurn(key, lifetime, load), waitMaxMs)

  async function inTurn(...[key, lifetime, load]: Parameters<LoadInTurn>): Promise<Entry> {
    const turn = await begin(key, newMaxMs(lifetime), waitMaxMs)
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
