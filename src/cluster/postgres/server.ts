import { statement } from '../../store/connection/statement.ts'
import { IDLE_IN_TRANSACTION_MAX_MS, type Session } from './connection.ts'
import { PoolerError, PostgresError } from './trouble.ts'

/** The server at the other end of a connection, as long as it neither restarts nor hands over to another. */
export type Server = {
  /** Which history of commits it continues: the cluster and its timeline. A promoted standby has another. */
  readonly history: string
  /** The parts of that: the identifier of the cluster, and its timeline. */
  readonly cluster: string
  readonly timeline: number
  /** Whether a commit waits until every named standby has it. */
  readonly isSynchronous: boolean
  /** The setting that names them. */
  readonly standbyNames: string
  /** Whether a standby follows it, or has a replication slot. A running base backup does not count. */
  readonly hasStandby: boolean
  /** Differs between any two runs of any two servers, and between any two databases of a run. */
  readonly run: string
  /** Milliseconds since the epoch, by its clock. */
  readonly nowMs: number
}

type Row = Pick<Server, 'history' | 'run' | 'hasStandby' | 'nowMs' | 'standbyNames'> & {
  readonly standbys: number
  readonly standby: boolean
  /** Whether it has the timeouts that the connection was opened with. */
  readonly keeps: boolean
}

/** Whether a connection has a setting that it was opened with; behind a pooler it has those of the pooler's connection. */
export const KEEPS = `current_setting('idle_in_transaction_session_timeout')::interval
        = '${IDLE_IN_TRANSACTION_MAX_MS} ms'`

/** The number of standbys that follow a server now. Base backups and logical replication do not count. */
export const STANDBYS_NOW = `(SELECT count(*)::int FROM pg_stat_replication AS follower
        WHERE state IS DISTINCT FROM 'backup' AND NOT EXISTS (SELECT FROM pg_replication_slots
          WHERE active_pid = follower.pid AND slot_type = 'logical'))`

// A commit is on the disk when it is answered, whatever the database's default. A stricter setting stays.
const LOOK = statement<Row>(
  `SELECT pg_is_in_recovery() AS standby,
      CASE WHEN pg_is_in_recovery() THEN ''
        ELSE (SELECT system_identifier::text FROM pg_control_system()) || ' ' ||
          substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS history,
      ${KEEPS} AS keeps,
      pg_postmaster_start_time()::text || ' ' ||
        (SELECT oid FROM pg_database WHERE datname = current_database()) AS run,
      current_setting('synchronous_standby_names') AS "standbyNames",
      ${STANDBYS_NOW} AS standbys,
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

/** Reads for which standbys a server waits by now. Throws PostgresError. */
export async function standbyNames({ ask }: Pick<Session, 'ask'>): Promise<string> {
  return (await ask(STANDBY_NAMES, {})).rows[0]?.standbyNames ?? ''
}

/**
 * Reads which server answers, as one of `hosts` configured hosts. Throws PostgresError, also for a standby, which only
 * reads, and for a pooler of connections.
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
 * Whether a setting of synchronous_standby_names makes a commit wait for every standby that it names: one that is promoted lacks
 * nothing then. `*` names standbys that are not known. Fewer names than standbys leave one out, or two have the same name.
 */
export function awaitsEveryStandby(names: string, standbys: number): boolean {
  const listed = /^\s*(?:(?:FIRST|ANY)\s+)?(\d+)\s*\((.*)\)\s*$/is.exec(names)
  const [, count = '1', list = names] = listed ?? []
  const each = list.split(',').flatMap((name) => name.trim() || [])
  const isNamed = each.every((name) => name !== '*' && name !== '"*"')
  return each.length >= Math.max(1, standbys) && isNamed && each.length <= Number(count)
}
