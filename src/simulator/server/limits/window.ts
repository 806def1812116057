import { createBoundedMap } from '../../../core/bounded-map.ts'

/** The largest weight in any period of some length. */
export type Rate = { readonly requests: number; readonly seconds: number }

/** Rolling windows by key, exact to the millisecond. */
export type RollingWindows = {
  /** Whether a weight is available. Uses nothing. */
  readonly has: (key: string, rate: Rate, weight: number, nowMs: number) => boolean
  /** Uses a weight. Returns the remaining weight; null when too little is left, which uses nothing. */
  readonly use: (key: string, rate: Rate, weight: number, nowMs: number) => number | null
  /** The milliseconds until a weight is available. */
  readonly waitMs: (key: string, rate: Rate, weight: number, nowMs: number) => number
}

type Use = { readonly atMs: number; readonly weight: number }

/** Windows for at most `keysMax` keys; the least recently used are dropped. */
export function createWindows(keysMax: number): RollingWindows {
  const uses = createBoundedMap<string, Use[]>(keysMax)

  function recent(key: string, { seconds }: Rate, nowMs: number): Use[] {
    const known = uses.get(key) ?? []
    // Uses in the future, after a clock was set back, do not count.
    return known.filter(({ atMs }) => atMs > nowMs - seconds * 1000 && atMs <= nowMs)
  }

  return {
    has: (key, rate, weight, nowMs) =>
      usedWeight(recent(key, rate, nowMs)) + weight <= rate.requests,
    use(key, rate, weight, nowMs) {
      const known = recent(key, rate, nowMs)
      const left = rate.requests - usedWeight(known) - weight
      if (left < 0) return null
      uses.put(key, [...known, { atMs: nowMs, weight }])
      return left
    },
    waitMs(key, rate, weight, nowMs) {
      const known = recent(key, rate, nowMs)
      let missing = usedWeight(known) + weight - rate.requests
      for (const use of known) {
        missing -= use.weight
        if (missing <= 0) return use.atMs + rate.seconds * 1000 - nowMs
      }
      return rate.seconds * 1000
    },
  }
}

function usedWeight(uses: readonly Use[]): number {
  return uses.reduce((sum, { weight }) => sum + weight, 0)
}
