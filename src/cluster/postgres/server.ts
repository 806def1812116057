import { statement } from '../../store/connection/statement.ts'
import { IDLE_IN_TRANSACTION_MAX_MS, type Session } from './connection.ts'
import { PoolerError, PostgresError } from './errors.ts'

/** The server behind a connection. A restart or a failover makes it a different server. */
export type Server = {
  /** The history of commits that the server continues: cluster and timeline. A promoted standby has a new timeline. */
  readonly history: string
  /** The parts of `history`: the cluster's system identifier and the timeline. */
  readonly cluster: string
  readonly timeline: number
  /** Whether each commit waits for every standby. */
  readonly isSynchronous: boolean
  /** The setting `synchronous_standby_names`. */
  readonly standbyNames: string
  /** Whether a standby follows the server or has a replication slot. A running base backup does not count. */
  readonly hasStandby: boolean
  /** An id that is unique per run of a server process and per database. */
  readonly run: string
  /** Milliseconds since the epoch, by the server's clock. */
  readonly nowMs: number
}

type Row = Pick<Server, 'history' | 'run' | 'hasStandby' | 'nowMs' | 'standbyNames'> & {
  readonly standbys: number
  readonly standby: boolean
  /** Whether the session has the timeouts that this connection requested. */
  readonly keeps: boolean
}

/**
 * SQL: whether the session has a setting that this connection requested. Behind a pooler the session has the pooler's
 * settings.
 */
export const KEEPS_SESSION_SETTINGS = `current_setting('idle_in_transaction_session_timeout')::interval
        = '${IDLE_IN_TRANSACTION_MAX_MS} ms'`

/** The number of standbys that follow a server now. Base backups and logical replication do not count. */
export const STANDBY_COUNT = `(SELECT count(*)::int FROM pg_stat_replication AS follower
        WHERE state IS DISTINCT FROM 'backup' AND NOT EXISTS (SELECT FROM pg_replication_slots
          WHERE active_pid = follower.pid AND slot_type = 'logical'))`

// Also raises `synchronous_commit` to `on` if the default is weaker, so that an answered commit is on disk.
const LOOK = statement<Row>(
  `SELECT pg_is_in_recovery() AS standby,
      CASE WHEN pg_is_in_recovery() THEN ''
        ELSE (SELECT system_identifier::text FROM pg_control_system()) || ' ' ||
          substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS history,
      ${KEEPS_SESSION_SETTINGS} AS keeps,
      pg_postmaster_start_time()::text || ' ' ||
        (SELECT oid FROM pg_database WHERE datname = current_database()) AS run,
      current_setting('synchronous_standby_names') AS "standbyNames",
      ${STANDBY_COUNT} AS standbys,
      EXISTS (SELECT FROM pg_replication_slots WHERE slot_type = 'physical' AND NOT temporary)
        OR (EXISTS (SELECT FROM pg_stat_replication)
          AND NOT EXISTS (SELECT FROM pg_replication_slots WHERE temporary)) AS "hasStandby",
      (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs",
      CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
        THEN set_config('synchronous_commit', 'on', false) END AS raised`,
)

const STANDBY_NAMES = statement<Pick<Row, 'standbyNames'>>(
  `SELECT current_setting('synchronous_standby_names') AS "standbyNames"`,
)

/** Reads the setting that names the standbys. The server now waits for these standbys. Throws PostgresError. */
export async function standbyNames({ ask }: Pick<Session, 'ask'>): Promise<string> {
  return (await ask(STANDBY_NAMES, {})).rows[0]?.standbyNames ?? ''
}

/**
 * Reads the identity of the server that answers. `hosts` is the number of configured hosts. Throws PostgresError, also
 * for a standby (read-only). Throws PoolerError behind a connection pooler that drops settings.
 */
export async function readServer(session: Session, hosts = 1): Promise<Server> {
  const [row] = (await session.ask(LOOK, {})).rows
  if (!row || row.standby) throw new PostgresError('refused', false, true)
  if (!row.keeps) throw new PoolerError()
  const { history, hasStandby, nowMs, standbyNames } = row
  const [cluster = '', timeline = ''] = history.split(' ')
  return {
    history,
    cluster,
    timeline: Number.parseInt(timeline, 16),
    isSynchronous: awaitsEveryStandby(standbyNames, Math.max(row.standbys, hosts - 1)),
    ...{ standbyNames, hasStandby },
    run: `${history} ${row.run}`,
    nowMs,
  }
}

/**
 * Whether a value of `synchronous_standby_names` makes each commit wait for every standby, so that any promoted standby
 * is complete. False for `*`, which names no standbys, and for fewer names than standbys.
 */
export function awaitsEveryStandby(names: string, standbys: number): boolean {
  const listed = /^\s*(?:(?:FIRST|ANY)\s+)?(\d+)\s*\((.*)\)\s*$/is.exec(names)
  const [, count = '1', list = names] = listed ?? []
  const each = list.split(',').flatMap((name) => name.trim() || [])
  const isNamed = each.every((name) => name !== '*' && name !== '"*"')
  return each.length >= Math.max(1, standbys) && isNamed && each.length <= Number(count)
}
