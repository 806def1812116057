/** How long a read may keep the event loop before other requests get a turn, in milliseconds. */
export const SLICE_MS = 5

/** Computes a part of the simulated past, which is always the same, and remembers it before anything else runs. */
export type Make = <Value>(make: () => Value, remember: (value: Value) => void) => Value

/** Computes without a limit of time. */
export const makeAtOnce: Make = (make, remember) => {
  const value = make()
  remember(value)
  return value
}

/** A read has computed as much as one turn allows; its next attempt finds that part remembered. */
class MoreToMake extends Error {
  override readonly name = 'MoreToMake'
}

/** Bounds the time that a read spends on the simulated past in one turn of the event loop. */
export type TimeBudget = {
  readonly make: Make
  /** The result of a read without side effects. Throws MoreToMake when it needs more than one turn. */
  readonly attempt: <Value>(read: () => Value) => Value
  /** The result of a read, tried once a turn until it needs no more time. */
  readonly inTurns: <Value>(read: () => Promise<Value>) => Promise<Value>
}

/** `monotonicMs` is a monotonic clock in milliseconds; `pause` ends the turn of the event loop. */
export function createTimeBudget(
  monotonicMs: () => number,
  pause: () => Promise<void>,
): TimeBudget {
  let leftMs = Number.POSITIVE_INFINITY

  const make: Make = (making, remember) => {
    const startedMs = monotonicMs()
    const value = makeAtOnce(making, remember)
    leftMs -= monotonicMs() - startedMs
    if (leftMs <= 0) throw new MoreToMake()
    return value
  }

  return {
    make,
    attempt: (read) => {
      leftMs = SLICE_MS
      try {
        return read()
      } finally {
        leftMs = Number.POSITIVE_INFINITY
      }
    },
    inTurns: async (read) => {
      for (;;) {
        try {
          return await read()
        } catch (error) {
          if (!(error instanceof MoreToMake)) throw error
          await pause()
        }
      }
    },
  }
}

/** No limit: each read is answered in one turn. */
export const UNBOUNDED: TimeBudget = {
  make: makeAtOnce,
  attempt: (read) => read(),
  inTurns: (read) => read(),
}
