import { createBoundedMap } from '../../../core/bounded-map.ts'

/** Maximum sum of weights of the requests within any period of this many seconds. */
export type Rate = { readonly requests: number; readonly seconds: number }

/** Rolling windows by key, exact to the millisecond. */
export type RollingWindows = {
  /** Whether a weight is available. Changes nothing. */
  readonly has: (key: string, rate: Rate, weight: number, nowMs: number) => boolean
  /** Uses a weight and returns the remaining weight. Null if too little is left; then nothing is used. */
  readonly use: (key: string, rate: Rate, weight: number, nowMs: number) => number | null
  /** How long until a weight is available, in ms. */
  readonly waitMs: (key: string, rate: Rate, weight: number, nowMs: number) => number
}

type Use = { readonly atMs: number; readonly weight: number }

/** Creates windows for at most `keysMax` keys. Beyond it, the least recently used keys are dropped. */
export function createWindows(keysMax: number): RollingWindows {
  const uses = createBoundedMap<string, Use[]>(keysMax)

  function recent(key: string, { seconds }: Rate, nowMs: number): Use[] {
    const known = uses.get(key) ?? []
    // After a clock was set back, recorded uses with a later time do not count.
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
