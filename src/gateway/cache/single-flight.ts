import { Failure } from '../../core/failure.ts'
import { settledWithin } from '../../core/loop/guarded.ts'
import { currentRequest } from '../../core/observing/request-context.ts'
import { UpstreamError } from '../../core/ports.ts'

/** Runs at most one load per key at a time, shared by all concurrent callers. */
export type SingleFlight<Value> = {
  readonly isUnderWay: (key: string) => boolean
  /** Starts a background run, unless a run of the key is already in progress. Its failure only goes to `failed`. */
  readonly behind: (key: string, run: () => Promise<Value>) => void
  /**
   * The value of the current run, or of a new run. If a run fails for a reason that concerns only the run's caller,
   * starts a new run. Throws the error of the run, or Failure `upstream_timeout` if runs of other callers take longer
   * than `waitMaxMs` in total. After such a timeout the run continues for its other callers.
   */
  readonly join: (key: string, run: () => Promise<Value>, waitMaxMs?: number) => Promise<Value>
}

/** A run, and the caller whose request started it. `owner` is undefined for a run outside a request. */
type Flight<Value> = { readonly value: Promise<Value>; readonly owner: string | undefined }

/** After this many runs that were refused because of their own callers, a waiting call fails with the refusal. */
const REFUSALS_MAX = 8

/** `failed` is called once per failed run, before the run's callers get the error. */
export function createSingleFlight<Value>(
  failed: (key: string, error: unknown) => void,
): SingleFlight<Value> {
  const flights = new Map<string, Flight<Value>>()

  function start(key: string, run: () => Promise<Value>): Flight<Value> {
    const value = begin(run).finally(() => flights.delete(key))
    const flight = { value, owner: currentRequest()?.limitKey }
    flights.set(key, flight)
    // Also prevents an unhandled rejection after every caller has stopped waiting.
    value.catch((error: unknown) => failed(key, error))
    return flight
  }

  async function join(key: string, run: () => Promise<Value>, waitMaxMs?: number): Promise<Value> {
    if (!flights.has(key)) return start(key, run).value
    let [isWaiting, refusals] = [true, 0]
    const concernsOther = ({ owner }: Flight<Value>, error: unknown): boolean => {
      if (isAbort(error)) return isWaiting
      refusals += 1
      const isOthers = isRefusal(error) && owner !== currentRequest()?.limitKey
      return isWaiting && isOthers && refusals <= REFUSALS_MAX
    }
    try {
      return await (await withinDeadline(follow(key, run, concernsOther), waitMaxMs)).value
    } finally {
      isWaiting = false
    }
  }

  /**
   * Waits for the current run, or starts a new run. Returns the run. After a failure that concerns only a different
   * caller, the first waiting call starts the next run.
   */
  async function follow(
    key: string,
    run: () => Promise<Value>,
    concernsOther: (flight: Flight<Value>, error: unknown) => boolean,
  ): Promise<Flight<Value>> {
    for (;;) {
      const flight = flights.get(key)
      if (!flight) return start(key, run)
      const isNext = await flight.value.then(
        () => false,
        (error: unknown) => concernsOther(flight, error),
      )
      if (!isNext) return flight
    }
  }

  function behind(key: string, run: () => Promise<Value>): void {
    if (!flights.has(key)) void start(key, run)
  }

  return { isUnderWay: (key) => flights.has(key), behind, join }
}

/** Whether an error only means that the caller cancelled. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/** Whether the call was refused before it was sent, because the caller's share of slots, or all slots, were in use. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Failure) || error.code !== 'upstream_busy') return false
  return error.cause instanceof UpstreamError && !error.cause.sent
}

/** Turns a synchronous throw into a rejection. */
async function begin<Value>(run: () => Promise<Value>): Promise<Value> {
  return run()
}

/** The outcome of a promise. Throws Failure `upstream_timeout` after `waitMaxMs`. */
export function withinDeadline<Value>(promise: Promise<Value>, waitMaxMs?: number): Promise<Value> {
  if (waitMaxMs === undefined) return promise
  return settledWithin('cache', waitMaxMs, promise, () => {
    throw new Failure('upstream_timeout')
  })
}
