import type { InstanceRow } from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../../contract/console/limits.ts'
import { Failure } from '../../core/failure.ts'
import { every, expected } from '../../core/loop/guarded.ts'
import type { TrafficStore } from '../../core/traffic.ts'

type Parts = {
  readonly store: Pick<TrafficStore, 'add' | 'instances'>
  readonly monotonicMs: () => number
  /** This instance as it is now. */
  readonly instance: () => InstanceRow
}

/** When the row of another instance last changed, by the own monotonic clock. */
type Sight = {
  readonly seenMs: number
  readonly changedAtMs: number
  /** `regular` changes as often as that of an instance of this release; `unchanged` was read and has never changed since. */
  readonly frequency: 'unchanged' | 'slow' | 'regular'
}

/**
 * Shows the others every few seconds that this instance is there, and counts those that no longer do and did not stop:
 * one that did so regularly after half a minute, any other after three, also where it was lost before this process began.
 */
export function keepInstanceRegistry({ store, monotonicMs, instance }: Parts) {
  const { everyMs } = CONSOLE_LIMITS.registry
  const others = createOthers(monotonicMs)
  let underWay: Promise<void> | null = null

  async function turn(): Promise<void> {
    try {
      const own = instance()
      await store.add(own, [])
      others.look((await store.instances()).filter(({ name }) => name !== own.name))
    } catch (error) {
      expected('http', error, Failure)
      others.unseen()
    }
  }

  /** One turn at a time. */
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
    /** Resolves when no turn is under way: the row may then be removed. */
    stop: async (): Promise<void> => {
      clearInterval(timer)
      await underWay
    },
  }
}

/** The other instances, from their rows. */
function createOthers(monotonicMs: () => number) {
  const { lostAfterMs } = CONSOLE_LIMITS.registry
  const others = new Map<string, Sight>()
  let hasLooked = false

  const isLost = ({ changedAtMs, frequency }: Sight) =>
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
    /** While the store is away nobody can be seen, so that what was there counts from when it is back. */
    unseen: (): void => {
      for (const [name, sight] of others)
        if (!isLost(sight)) others.set(name, { ...sight, changedAtMs: monotonicMs() })
    },
    /** How many are lost; null while it is not known whether those of before this process live. */
    lost: (): number | null => {
      const sights = [...others.values()]
      const count = sights.filter(isLost).length
      const isKnown = hasLooked && sights.every(({ frequency }) => frequency !== 'unchanged')
      return count > 0 || isKnown ? count : null
    },
  }
}
