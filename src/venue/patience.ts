/** How long the loop may be kept by what can be left off: others are answered between two. */
export const SLICE_MS = 5

/** Makes something of the past, which is always the same, and remembers it before anything else happens. */
export type Make = <Value>(make: () => Value, remember: (value: Value) => void) => Value

/** Makes whatever is asked for at once. */
export const makeAtOnce: Make = (make, remember) => {
  const value = make()
  remember(value)
  return value
}

/** A read has made as much of the past as one turn allows: it is asked again, and finds that made. */
class MoreToMake extends Error {
  override readonly name = 'MoreToMake'
}

/** What a read may spend on the past in one turn of the loop. */
export type Patience = {
  readonly make: Make
  /** What a read answers that changes nothing. Throws MoreToMake when it has more to make than one turn allows. */
  readonly attempt: <Value>(read: () => Value) => Value
  /** Answers what a read answers, tried once a turn until it has nothing more to make. */
  readonly inTurns: <Value>(read: () => Promise<Value>) => Promise<Value>
}

/** `monotonicMs` are milliseconds since some moment of this process; `pause` lets everybody else have a turn. */
export function createPatience(monotonicMs: () => number, pause: () => Promise<void>): Patience {
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

/** Nothing is left off: what is read is answered at once. */
export const IMPATIENT: Patience = {
  make: makeAtOnce,
  attempt: (read) => read(),
  inTurns: (read) => read(),
}
