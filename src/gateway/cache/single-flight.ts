import { Failure } from '../../core/failure.ts'
import { settledWithin } from '../../core/loop/guarded.ts'
import { currentRequest } from '../../core/observing/request-context.ts'
import { UpstreamError } from '../../core/ports.ts'

/** One run per key at a time, shared by all callers who ask for it meanwhile. */
export type SingleFlight<Value> = {
  readonly isUnderWay: (key: string) => boolean
  /** Starts a run that no caller waits for, unless one is under way. Its failure goes to `failed` alone. */
  readonly behind: (key: string, run: () => Promise<Value>) => void
  /**
   * The value of the run under way, or of a new one. Throws the error of the run, or Failure `upstream_timeout` when
   * runs of other callers take longer than `waitMaxMs` in all; the run continues for the others. After a run that
   * failed for its own caller alone a new run starts.
   */
  readonly join: (key: string, run: () => Promise<Value>, waitMaxMs?: number) => Promise<Value>
}

/** A run, with the caller whose request started it; undefined outside a request. */
type Flight<Value> = { readonly value: Promise<Value>; readonly owner: string | undefined }

/** Maximum number of runs that one call sees refused for their own callers before it takes the refusal for its own. */
const REFUSALS_MAX = 8

/** `failed` is called once for every run that fails, before those who wait for it. */
export function createSingleFlight<Value>(
  failed: (key: string, error: unknown) => void,
): SingleFlight<Value> {
  const flights = new Map<string, Flight<Value>>()

  function start(key: string, run: () => Promise<Value>): Flight<Value> {
    const value = begin(run).finally(() => flights.delete(key))
    const flight = { value, owner: currentRequest()?.limitKey }
    flights.set(key, flight)
    // This handler also keeps a failure from being unhandled when every caller has stopped waiting.
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
   * The run under way once it has ended, or the new run that this call starts. The first call to get here after a
   * failure that concerns only another caller starts the next run.
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

/** Whether an error says only that its own caller no longer wants the answer. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/** Whether the venue was not asked, because the caller had used its share of the slots, or all slots were taken. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Failure) || error.code !== 'upstream_busy') return false
  return error.cause instanceof UpstreamError && !error.cause.sent
}

/** A run that throws before its first await fails like any other. */
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
