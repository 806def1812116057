import { createBoundedMap } from '../../../core/bounded-map.ts'

/** How much may be used in any period of some length. */
export type Rate = { readonly requests: number; readonly seconds: number }

/** Rolling windows by key: what was used in the last period counts, to the millisecond. */
export type Windows = {
  /** Whether a weight is there. Nothing is used. */
  readonly has: (key: string, rate: Rate, weight: number, nowMs: number) => boolean
  /** Uses up a weight. Answers how much is left after it; null when it is not there, and nothing is used. */
  readonly use: (key: string, rate: Rate, weight: number, nowMs: number) => number | null
  /** How long until a weight is there again, in milliseconds. */
  readonly waitMs: (key: string, rate: Rate, weight: number, nowMs: number) => number
}

type Use = { readonly atMs: number; readonly weight: number }

/** Windows that remember at most so many keys: the longest unused go first. */
export function createWindows(keysMax: number): Windows {
  const uses = createBoundedMap<string, Use[]>(keysMax)

  function recent(key: string, { seconds }: Rate, nowMs: number): Use[] {
    const known = uses.get(key) ?? []
    // A clock that was set back leaves uses in the future: they count no more.
    return known.filter(({ atMs }) => atMs > nowMs - seconds * 1000 && atMs <= nowMs)
  }

  return {
    has: (key, rate, weight, nowMs) => sumOf(recent(key, rate, nowMs)) + weight <= rate.requests,
    use(key, rate, weight, nowMs) {
      const known = recent(key, rate, nowMs)
      const left = rate.requests - sumOf(known) - weight
      if (left < 0) return null
      uses.put(key, [...known, { atMs: nowMs, weight }])
      return left
    },
    waitMs(key, rate, weight, nowMs) {
      const known = recent(key, rate, nowMs)
      let missing = sumOf(known) + weight - rate.requests
      for (const use of known) {
        missing -= use.weight
        if (missing <= 0) return use.atMs + rate.seconds * 1000 - nowMs
      }
      return rate.seconds * 1000
    },
  }
}

function sumOf(uses: readonly Use[]): number {
  return uses.reduce((sum, { weight }) => sum + weight, 0)
}
