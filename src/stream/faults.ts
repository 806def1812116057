import { crashFields } from '../core/log.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { Log } from '../core/ports.ts'
import type { ResetCause, StreamName } from '../spec/stream/topics.ts'
import { MalformedMessage } from '../wire/live-messages.ts'

/** Counts what is wrong with one topic of live data. */
export type TopicFaults = {
  /** Rows of the venue that were left out because they are malformed. */
  readonly dropped: (rows: number) => void
  /** The topic begins anew: because of an error, or of a message that does not follow where there is none. */
  readonly reset: (error?: unknown) => void
}

export type FaultsOf = (name: StreamName) => TopicFaults

/** Counts the faults of each topic, and logs every reset. */
export function createFaults(meter: Pick<Meter, 'counter'>, log: Log): FaultsOf {
  return (topic) => ({
    dropped: meter.counter('prepd_stream_rows_dropped_total', topic).add,
    reset: (error) => {
      const cause = causeOf(error)
      meter.counter('prepd_stream_resets_total', topic, cause).add()
      const level = cause === 'unexpected' ? 'error' : 'warn'
      log[level]('stream_reset', { topic, cause, ...(error !== undefined && crashFields(error)) })
    },
  })
}

function causeOf(error: unknown): ResetCause {
  if (error === undefined) return 'gap'
  return error instanceof MalformedMessage ? 'malformed' : 'unexpected'
}
