import type { TrafficStore } from '../../core/traffic.ts'
import type { InstanceRow } from '../../spec/console/figures.ts'
import { CONSOLE_LIMITS } from '../../spec/console/limits.ts'
import { type MinuteRow, minuteOf } from '../traffic.ts'
import type { Statement } from './connection.ts'
import type { Link } from './link.ts'
import { guarded } from './trouble.ts'

const SEE: Statement = {
  name: 'see instance',
  text: `INSERT INTO prepd_instances AS own (name, version, since_ms, seen_ms, is_ready)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (name) DO UPDATE SET version = excluded.version, since_ms = excluded.since_ms,
      seen_ms = excluded.seen_ms, is_ready = excluded.is_ready`,
}
const ADD: Statement = {
  name: 'add traffic',
  text: `INSERT INTO prepd_traffic (instance, until_ms, span_ms, requests, failed, p99_ms,
      loop_delay_ms, resident_bytes)
    SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::float8[],
      $7::float8[], $8::bigint[])
    ON CONFLICT DO NOTHING`,
}
const MINUTES: Statement = {
  name: 'traffic',
  text: `SELECT until_ms::float8 AS "untilMs", span_ms::float8 AS "spanMs",
      requests::float8 AS requests, failed::float8 AS failed, p99_ms AS "p99Ms",
      loop_delay_ms AS "loopDelayMs", resident_bytes::float8 AS "residentBytes"
    FROM prepd_traffic WHERE instance = $1 AND until_ms > $2 ORDER BY until_ms`,
}
const INSTANCES: Statement = {
  name: 'instances',
  text: `SELECT name, version, since_ms::float8 AS "sinceMs", seen_ms::float8 AS "seenMs",
      is_ready AS "isReady"
    FROM prepd_instances ORDER BY name LIMIT ${CONSOLE_LIMITS.instancesMax}`,
}
const LEAVE: Statement = {
  name: 'leave',
  text: 'DELETE FROM prepd_instances WHERE name = $1',
}
/** Instances that delete at once leave each other's rows alone. */
const FORGET: readonly Statement[] = [
  ['prepd_traffic', 'until_ms'],
  ['prepd_instances', 'seen_ms'],
].map(([table, at]) => ({
  name: `forget ${table}`,
  text: `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${table}
    WHERE ${at} <= $1::float8 - ${CONSOLE_LIMITS.trafficKeptMs} FOR UPDATE SKIP LOCKED))`,
}))

/** The instances of a deployment and their minutes, by the clock of each. */
export function trafficTable({ ask }: Pick<Link, 'ask'>): TrafficStore {
  return {
    add: async ({ name, version, sinceMs, seenMs, isReady }, minutes) => {
      await guarded(ask(SEE, [name, version, sinceMs, seenMs, isReady]))
      const columns = COLUMNS.map((at) => minutes.map((minute) => minute[at]))
      await guarded(ask(ADD, [name, ...columns]))
      for (const statement of FORGET) await guarded(ask(statement, [seenMs]))
    },
    minutes: async (instance, sinceMs) =>
      (await guarded(ask<MinuteRow>(MINUTES, [instance, sinceMs]))).rows.map(minuteOf),
    instances: async () => (await guarded(ask<InstanceRow>(INSTANCES))).rows,
    leave: async (instance) => {
      await guarded(ask(LEAVE, [instance]))
    },
  }
}

/** The places of a minute's figures. */
const COLUMNS = [0, 1, 2, 3, 4, 5, 6] as const
