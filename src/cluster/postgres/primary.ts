import type { EngineHealthRecorder } from '../../core/engines/health.ts'
import { detached } from '../../core/loop/guarded.ts'
import { outsideRequest } from '../../core/observing/request-context.ts'
import type { World } from '../../core/ports.ts'
import { fencedReason, isPermanent, PostgresError, sqlState, unreachableCause } from './errors.ts'
import { type FoundServer, findServer, type Search } from './search.ts'

const LOOK_EVERY_MS = 100

/** The primary server. After it is lost, a search runs until a primary is found. */
export type Primary = {
  /** Rises whenever a server is lost. Answers from an earlier generation are ignored. */
  readonly generation: () => number
  /**
   * Waits for the server until `endsMs` of the monotonic clock. Does not wait for a server that has been away longer
   * than a request may wait.
   */
  readonly server: (endsMs: number) => Promise<FoundServer>
  /** Reports a server as lost, which starts the search. */
  readonly lose: (found: FoundServer) => void
  readonly close: () => void
}

type PrimaryOptions = Pick<World, 'monotonicMs' | 'log'> &
  Search & { readonly pulse: EngineHealthRecorder }

/**
 * Searches for the server, and continues in the background if the first search fails. Throws only errors that the
 * operator has to fix, such as a wrong password.
 */
export async function openPrimary(parts: PrimaryOptions): Promise<Primary> {
  const { take, miss, ...primary } = createPrimary(parts)
  try {
    take(await findServer(parts))
  } catch (error) {
    if (isPermanent(error)) throw error
    // A fenced server has answered; `miss` logs why nothing is written to it.
    if (fencedReason(error) === undefined) {
      const [state, cause] = [sqlState(error), unreachableCause(error) ?? undefined]
      parts.log.error('engine_away', { engine: 'postgres', state, cause })
    }
    miss(error)
  }
  return primary
}

function createPrimary(parts: PrimaryOptions) {
  const { monotonicMs, log, pulse } = parts
  let found: FoundServer | null = null
  let [generation, lostAtMs, isClosed] = [0, Number.NEGATIVE_INFINITY, false]
  let back = Promise.withResolvers<void>()
  const note = createReasonLog(parts)

  function take(next: FoundServer): void {
    if (isClosed) next.pools.end()
    else {
      found = next
      next.pools.onLost(() => lose(next))
      pulse.answered(0)
      note(null)
      back.resolve()
    }
  }

  function lose(lost: FoundServer): void {
    if (found !== lost || isClosed) return
    found = null
    generation += 1
    back = Promise.withResolvers()
    log.warn('engine_lost', { engine: 'postgres' })
    lost.pools.end()
    miss(null)
  }

  function miss(error: unknown): void {
    lostAtMs = monotonicMs()
    note(error)
    detached('store', outsideRequest(seek))
  }

  async function seek(): Promise<void> {
    while (!found && !isClosed) {
      try {
        take(await findServer(parts))
        const awayMs = Math.round(monotonicMs() - lostAtMs)
        log.info('engine_found', { engine: 'postgres', awayMs })
      } catch (error) {
        note(error)
        await Bun.sleep(LOOK_EVERY_MS)
      }
    }
  }

  async function server(endsMs: number): Promise<FoundServer> {
    const waitMs = Math.min(endsMs, lostAtMs + parts.place.waitMaxMs) - monotonicMs()
    if (!found && waitMs > 0) await Promise.race([back.promise, Bun.sleep(waitMs)])
    if (found) return found
    throw new PostgresError('unreachable', false, false)
  }

  function close(): void {
    isClosed = true
    found?.pools.end()
    found = null
  }

  return { generation: () => generation, server, take, miss, lose, close }
}

/** Notes why no server was found; null if a server was found. Logs a reason when it changes. */
function createReasonLog({ pulse, log }: PrimaryOptions): (error: unknown) => void {
  let last: string | undefined
  return (error) => {
    const reason = fencedReason(error)
    if (error !== null) pulse.failed(reason === undefined ? 'unreachable' : 'fenced', 0, reason)
    if (reason !== undefined && reason !== last)
      log.error('engine_fenced', { engine: 'postgres', reason })
    last = reason
  }
}
