import { LIMITS } from '../../contract/limits.ts'
import { type Finding, fail, ok, warn } from '../../core/finding.ts'
import type { EngineHost, PostgresEndpoint } from '../../core/settings/engine-urls.ts'
import { statement } from '../../store/connection/statement.ts'
import { clientConfig, clientSession, withConnection } from './connection.ts'
import { unreachableCause } from './errors.ts'
import { awaitsEveryStandby, KEEPS_SESSION_SETTINGS, STANDBY_COUNT } from './server.ts'

type TopologyFacts = Readonly<
  Record<
    | 'isStandby'
    | 'keeps'
    | 'isSynced'
    | 'mayCreate'
    | 'hasTables'
    | 'maySeeTimeline'
    | 'isArchived'
    | 'isArchivingBroken',
    boolean
  >
> & {
  readonly version: string
  readonly standbyNames: string
  readonly standbys: number
  readonly nowMs: number
  readonly connectionsMax: number
}

const FACTS = statement<TopologyFacts>(
  `SELECT current_setting('server_version') AS version,
      pg_is_in_recovery() AS "isStandby",
      current_setting('synchronous_standby_names') AS "standbyNames",
      ${STANDBY_COUNT} AS standbys,
      current_setting('fsync') = 'on' AS "isSynced",
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate",
      to_regclass('prepd_schema') IS NOT NULL AS "hasTables",
      has_function_privilege('pg_control_system()', 'EXECUTE')
        AND has_function_privilege('pg_current_wal_lsn()', 'EXECUTE')
        AND has_function_privilege('pg_walfile_name(pg_lsn)', 'EXECUTE') AS "maySeeTimeline",
      current_setting('archive_mode') <> 'off' AS "isArchived",
      coalesce((SELECT last_failed_time > coalesce(last_archived_time, '-infinity')
        FROM pg_stat_archiver), false) AS "isArchivingBroken",
      ${KEEPS_SESSION_SETTINGS} AS keeps,
      current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int
        - (SELECT count(*)::int FROM pg_stat_activity
          WHERE backend_type = 'client backend' AND usename <> current_user) AS "connectionsMax",
      (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`,
)

/** The settings and the clock of an instance. */
type Instance = {
  readonly postgres: PostgresEndpoint
  readonly connectionsMax: number
  readonly nowMs: () => number
}

/** Checks every host of PostgreSQL without changing it. Findings never contain a password. */
export async function checkPostgres(instance: Instance): Promise<readonly Finding[]> {
  const { postgres: place } = instance
  const looks = await Promise.all(place.hosts.map((host) => readServerFacts(place, host)))
  const findings = looks.flatMap((look, at) => serverFindings(hostLabel(place, at), look, instance))
  const takesWrites = looks.some((look) => typeof look !== 'string' && !look.isStandby)
  if (takesWrites) return findings
  return [
    ...findings,
    fail('no PostgreSQL takes writes', 'Promote a standby, or start the primary.'),
  ]
}

function hostLabel({ hosts, database }: PostgresEndpoint, at: number): string {
  const host = hosts[at]
  return `PostgreSQL at ${host?.host}:${host?.port}/${database}`
}

/** A server's facts, or the reason as text if they cannot be read. */
async function readServerFacts(
  place: PostgresEndpoint,
  host: EngineHost,
): Promise<TopologyFacts | string> {
  try {
    return await withConnection(clientConfig(place, host), async (client) => {
      const { rows } = await clientSession(client, place.waitMaxMs).ask(FACTS, {})
      return rows[0] ?? 'it says nothing'
    })
  } catch (error) {
    return unreachableCause(error) ?? 'it cannot be reached'
  }
}

function serverFindings(name: string, look: TopologyFacts | string, instance: Instance): Finding[] {
  if (typeof look === 'string')
    return [fail(`${name}: ${look}`, 'Look at PREPD_POSTGRES, its server and its pg_hba.conf.')]
  if (look.isStandby) return [ok(`${name} is a standby, ${look.version}`)]
  return [ok(`${name} takes writes, ${look.version}`), ...topologyProblems(name, look, instance)]
}

function topologyProblems(
  name: string,
  look: TopologyFacts,
  { postgres, connectionsMax, nowMs }: Instance,
): Finding[] {
  const skewMs = Math.round(Math.abs(look.nowMs - nowMs()))
  const standbys = Math.max(look.standbys, postgres.hosts.length - 1)
  const rows: readonly (readonly [boolean, Finding])[] = [
    [
      awaitsEveryStandby(look.standbyNames, standbys),
      warn(`${name} has no synchronous standby`, STANDBY),
    ],
    [look.keeps, fail(`${name}: a pooler stands before it`, POOLER)],
    [
      connectionsMax <= look.connectionsMax,
      warn(
        `${name} has ${look.connectionsMax} connections for all instances, of which one takes ${connectionsMax}`,
        CONNECTIONS,
      ),
    ],
    [
      look.isSynced,
      fail(`${name} does not sync its disk`, 'Set fsync = on: claims would be lost.'),
    ],
    [look.mayCreate || look.hasTables, fail(`${name}: the role may create no table`, CREATE)],
    [look.isArchived, warn(`${name} archives no log`, ARCHIVING)],
    [
      !look.isArchivingBroken,
      warn(`${name}: the last attempt to archive its log failed`, ARCHIVE_COMMAND),
    ],
    [look.maySeeTimeline, fail(`${name}: the role may not see its timeline`, TIMELINE)],
    [
      skewMs < LIMITS.engineSkewWarnMs,
      warn(`${name}: its clock differs by ${skewMs} ms`, 'Run chrony on both machines.'),
    ],
  ]
  return rows.filter(([isFine]) => !isFine).map(([, finding]) => finding)
}

const STANDBY =
  'Name each that may be promoted in synchronous_standby_names, and wait for all: after a failover, writes signed before it are otherwise outcome_unknown.'
const ARCHIVING =
  'Set archive_mode = on with an archive_command, and make base backups: config/reference/backups.md.'
const ARCHIVE_COMMAND = 'Look at archive_command and at the log of PostgreSQL.'
const POOLER =
  'Name PostgreSQL itself: a pooler such as PgBouncer passes on no settings of a connection.'
const CONNECTIONS =
  'Raise max_connections, or lower PREPD_POSTGRES_CONNECTIONS: it counts for each instance.'
const CREATE = 'GRANT CREATE ON the schema to the role, or let it own its database.'
const TIMELINE =
  'GRANT EXECUTE ON FUNCTION pg_control_system(), pg_current_wal_lsn(), pg_walfile_name(pg_lsn) to the role.'
