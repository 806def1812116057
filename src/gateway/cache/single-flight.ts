import { Failure } from '../../core/failure.ts'
import { settledWithin } from '../../core/loop/guarded.ts'

/** One run per key at a time, shared by everybody who asks for it meanwhile. */
export type SingleFlight<Value> = {
  readonly isUnderWay: (key: string) => boolean
  /** Starts a run that nobody waits for, unless one is under way. Its failure goes to `failed` alone. */
  readonly behind: (key: string, run: () => Promise<Value>) => void
  /**
   * The value of the run under way, or of a new one. Throws what the run threw, or Failure `upstream_timeout` when
   * the run is another's and takes longer than `waitMaxMs`; it goes on for the others.
   */
  readonly join: (key: string, run: () => Promise<Value>, waitMaxMs?: number) => Promise<Value>
}

/** `failed` is called once for every run that fails, before those who wait for it. */
export function createSingleFlight<Value>(
  failed: (key: string, error: unknown) => void,
): SingleFlight<Value> {
  const flights = new Map<string, Promise<Value>>()

  function start(key: string, run: () => Promise<Value>): Promise<Value> {
    const flight = begin(run).finally(() => flights.delete(key))
    flights.set(key, flight)
    // Also the handler that keeps a failure from being unhandled when everybody has stopped waiting.
    flight.catch((error: unknown) => failed(key, error))
    return flight
  }

  async function join(key: string, run: () => Promise<Value>, waitMaxMs?: number): Promise<Value> {
    for (;;) {
      const flight = flights.get(key)
      if (!flight) return start(key, run)
      try {
        return await within(flight, waitMaxMs)
      } catch (error) {
        // The caller who led hung up. That takes nobody along: the first to get here leads the next run.
        if (!isAbort(error)) throw error
      }
    }
  }

  function behind(key: string, run: () => Promise<Value>): void {
    if (!flights.has(key)) void start(key, run)
  }

  return { isUnderWay: (key) => flights.has(key), behind, join }
}

/** Whether an error says only that its own caller no longer wants the answer. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/** A run that throws before its first await fails like any other. */
async function begin<Value>(run: () => Promise<Value>): Promise<Value> {
  return run()
}

/** What a promise settles to. Throws Failure `upstream_timeout` where that takes longer than `waitMaxMs`. */
export function within<Value>(promise: Promise<Value>, waitMaxMs?: number): Promise<Value> {
  if (waitMaxMs === undefined) return promise
  return settledWithin('cache', waitMaxMs, promise, () => {
    throw new Failure('upstream_timeout')
  })
}
