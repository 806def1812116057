import { createSingleFlight } from '../cache/single-flight.ts'

/** Lets one call per account go to the venue at a time, so that concurrent calls end as if they had come in a row. */
export type AccountQueue<Outcome> = {
  /**
   * Runs now, or waits for the call under way. `adopt` then derives this call's outcome from that call's; null means
   * that this call takes the next turn. Throws the error of a run: a call that waited on a failing venue does not ask
   * it again.
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
