import type { Minute } from '../contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../contract/console/limits.ts'
import type { TrafficStore } from '../core/traffic.ts'
import type { TableAccess } from './connection/statements.ts'

export type MinuteRow = {
  readonly untilMs: number
  readonly spanMs: number
  readonly requests: number
  readonly failed: number
  readonly p99Ms: number | null
  readonly loopDelayMs: number
  readonly residentBytes: number
}

/** The columns of a minute's row. */
export const MINUTE_COLUMNS = `until_ms AS "untilMs", span_ms AS "spanMs", requests, failed,
  p99_ms AS "p99Ms", loop_delay_ms AS "loopDelayMs", resident_bytes AS "residentBytes"`

/** Minutes in a file of a single process, so instances are not recorded. */
export function trafficTable({ database, guard }: TableAccess): TrafficStore {
  const add = database.prepare<null, [MinuteRow]>(
    `INSERT INTO traffic (until_ms, span_ms, requests, failed, p99_ms, loop_delay_ms, resident_bytes)
     VALUES ($untilMs, $spanMs, $requests, $failed, $p99Ms, $loopDelayMs, $residentBytes)
     ON CONFLICT DO NOTHING`,
  )
  const minutes = database.prepare<MinuteRow, [{ sinceMs: number }]>(
    `SELECT ${MINUTE_COLUMNS} FROM traffic WHERE until_ms > $sinceMs ORDER BY until_ms`,
  )
  const forget = database.prepare<null, [{ beforeMs: number }]>(
    'DELETE FROM traffic WHERE until_ms <= $beforeMs',
  )
  return {
    add: async ({ seenMs }, rows) =>
      guard(() => {
        for (const row of rows) add.run(minuteRow(row))
        forget.run({ beforeMs: seenMs - CONSOLE_LIMITS.trafficKeptMs })
      }),
    minutes: async (_instance, sinceMs) => guard(() => minutes.all({ sinceMs })).map(toMinute),
    instances: async () => [],
    leave: async () => undefined,
  }
}

/** A minute as a row. */
export function minuteRow([untilMs, spanMs, requests, failed, ...measured]: Minute): MinuteRow {
  const [p99Ms, loopDelayMs, residentBytes] = measured
  return { untilMs, spanMs, requests, failed, p99Ms, loopDelayMs, residentBytes }
}

/** A minute as the console uses it. */
export function toMinute(row: MinuteRow): Minute {
  const { untilMs, spanMs, requests, failed, p99Ms, loopDelayMs, residentBytes } = row
  return [untilMs, spanMs, requests, failed, p99Ms, loopDelayMs, residentBytes]
}
