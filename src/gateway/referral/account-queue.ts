import { createSingleFlight } from '../cache/single-flight.ts'

/** Runs one call per account at a time, so that concurrent calls end as if they were sequential. */
export type AccountQueue<Outcome> = {
  /**
   * Runs now, or waits for the run of an earlier call. After a wait, `adopt` derives this call's outcome from the
   * outcome of the earlier run; if `adopt` returns null, this call runs next. Throws the error of an earlier run, so
   * that a failing venue is not called again.
   */
  readonly take: (
    accountId: string,
    run: () => Promise<Outcome>,
    adopt: (earlier: Outcome) => Outcome | null,
  ) => Promise<Outcome>
}

export function createAccountQueue<Outcome>(): AccountQueue<Outcome> {
  const flights = createSingleFlight<Outcome>(() => undefined)
  return {
    take: async (accountId, run, adopt) => {
      for (;;) {
        let led = false
        const outcome = await flights.join(accountId, () => {
          led = true
          return run()
        })
        const own = led ? outcome : adopt(outcome)
        if (own) return own
      }
    },
  }
}
