import type { InstanceRow } from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../../contract/console/limits.ts'
import { Failure } from '../../core/failure.ts'
import { every, reportUnexpected } from '../../core/loop/guarded.ts'
import type { TrafficStore } from '../../core/traffic.ts'

type InstanceRegistryOptions = {
  readonly store: Pick<TrafficStore, 'add' | 'instances'>
  readonly monotonicMs: () => number
  /** The current state of this instance. */
  readonly instance: () => InstanceRow
}

/** The observed state of another instance. `changedAtMs` is a time of this instance's monotonic clock. */
type PeerState = {
  readonly seenMs: number
  readonly changedAtMs: number
  /**
   * How often its row changes. `regular`: as in this version. `slow`: less often. `unchanged`: not since first read.
   */
  readonly frequency: 'unchanged' | 'slow' | 'regular'
}

/**
 * Renews this instance's row every few seconds, and counts lost instances, which ended without a regular stop. An
 * instance with regular changes is lost after half a minute without a change, any other after three minutes. The count
 * includes instances that were lost before this process started.
 */
export function keepInstanceRegistry({ store, monotonicMs, instance }: InstanceRegistryOptions) {
  const { everyMs } = CONSOLE_LIMITS.registry
  const others = createPeerTracker(monotonicMs)
  let underWay: Promise<void> | null = null

  async function turn(): Promise<void> {
    try {
      const own = instance()
      await store.add(own, [])
      others.look((await store.instances()).filter(({ name }) => name !== own.name))
    } catch (error) {
      reportUnexpected('http', error, Failure)
      others.unseen()
    }
  }

  /** Renews the row unless a renewal is already running, and waits for it. */
  async function tick(): Promise<void> {
    underWay ??= turn().finally(() => {
      underWay = null
    })
    await underWay
  }

  const timer = every('http', everyMs, tick)
  return {
    tick,
    lost: others.lost,
    /** Resolves when no renewal is running, so that the row may be removed. */
    stop: async (): Promise<void> => {
      clearInterval(timer)
      await underWay
    },
  }
}

/** Tracks other instances by the changes of their rows. */
function createPeerTracker(monotonicMs: () => number) {
  const { lostAfterMs } = CONSOLE_LIMITS.registry
  const others = new Map<string, PeerState>()
  let hasLooked = false

  const isLost = ({ changedAtMs, frequency }: PeerState) =>
    monotonicMs() - changedAtMs >=
    (frequency === 'regular' ? lostAfterMs : CONSOLE_LIMITS.instanceSilentMs)

  function see({ name, seenMs }: InstanceRow): void {
    const before = others.get(name)
    if (before?.seenMs === seenMs) return
    const changedAtMs = monotonicMs()
    const isRegular = before !== undefined && changedAtMs - before.changedAtMs < lostAfterMs
    const frequency = isRegular ? 'regular' : before ? 'slow' : 'unchanged'
    others.set(name, { seenMs, changedAtMs, frequency })
  }

  return {
    look: (rows: readonly InstanceRow[]): void => {
      hasLooked = true
      const names = new Set(rows.map(({ name }) => name))
      for (const name of others.keys()) if (!names.has(name)) others.delete(name)
      for (const row of rows) see(row)
    },
    /**
     * Called while the store fails. Other instances then cannot be observed, so the time since their last change
     * restarts.
     */
    unseen: (): void => {
      for (const [name, sight] of others)
        if (!isLost(sight)) others.set(name, { ...sight, changedAtMs: monotonicMs() })
    },
    /** The number of lost instances. Null (unknown) instead of 0 if a row has not changed since it was first read. */
    lost: (): number | null => {
      const sights = [...others.values()]
      const count = sights.filter(isLost).length
      const isKnown = hasLooked && sights.every(({ frequency }) => frequency !== 'unchanged')
      return count > 0 || isKnown ? count : null
    },
  }
}
