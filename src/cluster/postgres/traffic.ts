import type { InstanceRow } from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../../contract/console/limits.ts'
import type { TrafficStore } from '../../core/traffic.ts'
import { statement } from '../../store/connection/statement.ts'
import { MINUTE_COLUMNS, type MinuteRow, minuteRow, toMinute } from '../../store/traffic.ts'
import { deleteUnlocked } from './connection.ts'
import type { Queries } from './primary-queries.ts'

const SEE = statement<object, InstanceRow>(
  `INSERT INTO prepd_instances (name, version, since_ms, seen_ms, is_ready)
    VALUES ($name, $version, $sinceMs, $seenMs, $isReady)
    ON CONFLICT (name) DO UPDATE SET version = excluded.version, since_ms = excluded.since_ms,
      seen_ms = excluded.seen_ms, is_ready = excluded.is_ready`,
)
/** `rows`: MinuteRow values as JSON. */
const ADD = statement<object, { name: string; rows: string }>(
  `INSERT INTO prepd_traffic (instance, until_ms, span_ms, requests, failed, p99_ms,
      loop_delay_ms, resident_bytes)
    SELECT $name, * FROM json_to_recordset($rows) AS minutes ("untilMs" bigint, "spanMs" bigint,
      requests bigint, failed bigint, "p99Ms" float8, "loopDelayMs" float8, "residentBytes" bigint)
    ON CONFLICT DO NOTHING`,
)
const MINUTES = statement<MinuteRow, { instance: string; sinceMs: number }>(
  `SELECT ${MINUTE_COLUMNS} FROM prepd_traffic
    WHERE instance = $instance AND until_ms > $sinceMs ORDER BY until_ms`,
)
const INSTANCES = statement<InstanceRow>(
  `SELECT name, version, since_ms AS "sinceMs", seen_ms AS "seenMs", is_ready AS "isReady"
    FROM prepd_instances ORDER BY name LIMIT ${CONSOLE_LIMITS.instancesMax}`,
)
const LEAVE = statement<object, { instance: string }>(
  'DELETE FROM prepd_instances WHERE name = $instance',
)
const FORGET = Object.entries({ prepd_traffic: 'until_ms', prepd_instances: 'seen_ms' }).map(
  ([table, at]) =>
    statement<object, { seenMs: number }>(
      deleteUnlocked(table, `${at} <= $seenMs::float8 - ${CONSOLE_LIMITS.trafficKeptMs}`),
    ),
)

/** The instances of a deployment and their traffic per minute. Each instance uses its own clock. */
export function postgresTraffic({ rows, change }: Queries): TrafficStore {
  return {
    add: async (instance, minutes) => {
      const { name, seenMs } = instance
      await change(SEE, instance)
      await change(ADD, { name, rows: JSON.stringify(minutes.map(minuteRow)) })
      for (const forget of FORGET) await change(forget, { seenMs })
    },
    minutes: async (instance, sinceMs) =>
      (await rows(MINUTES, { instance, sinceMs })).map(toMinute),
    instances: () => rows(INSTANCES, {}),
    leave: async (instance) => void (await change(LEAVE, { instance })),
  }
}
