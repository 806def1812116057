import { statement } from '../../store/connection/statement.ts'
import type { Session } from './connection.ts'

/** An instance's findings about the server to which it is admitted. */
export type SeenServer = {
  readonly run: string
  readonly witness: string
  readonly hasStandby: boolean
}

/**
 * An empty `$witness` keeps the stored witness. If instances with different witnesses write at once, the first write
 * wins.
 */
const RECORD_SEEN_SERVER = statement<object, SeenServer & { before: string }>(
  `UPDATE prepd_lineage SET run = $run, witness = CASE $witness WHEN '' THEN witness ELSE $witness END,
      has_standby = has_standby OR $hasStandby
    WHERE witness = $before
      AND (run <> $run OR ($witness <> '' AND witness <> $witness) OR ($hasStandby AND NOT has_standby))`,
)
/** A minimal row, so that peers see the instance as alive before it writes its full entry. */
const REGISTER = statement<object, { name: string }>(
  `INSERT INTO prepd_instances (name, version, since_ms, seen_ms)
    SELECT $name, '', now_ms, now_ms
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms) AS clock
    ON CONFLICT (name) DO UPDATE SET seen_ms = greatest(prepd_instances.seen_ms, excluded.seen_ms)`,
)
const WITNESS = statement<{ witness: string }>('SELECT witness FROM prepd_lineage')
const INSTANCES = statement<{ name: string; seenMs: number }>(
  'SELECT name, seen_ms AS "seenMs" FROM prepd_instances',
)

/** Records an instance's findings about its server, if the database still names the witness `before`. */
export async function recordSeenServer(
  session: Session,
  { run, witness, hasStandby }: SeenServer,
  before: string,
): Promise<void> {
  await session.ask(RECORD_SEEN_SERVER, { run, witness, hasStandby, before })
}

/** Registers this instance before it is admitted, so that later instances know of it. */
export async function registerInstance(session: Session, name: string): Promise<void> {
  await session.ask(REGISTER, { name })
}

/** The witness (the registry's id) that a database names now. */
export async function namedWitness(session: Session): Promise<string> {
  return (await session.ask(WITNESS, {})).rows[0]?.witness ?? ''
}

/** An instance that has been silent for this long counts as ended. */
const INSTANCE_SILENCE_MAX_MS = 180_000

/**
 * Compares the database's list of instances with `members`. `living` or `silent`: the state of missing instances;
 * `none`: all are members.
 */
export async function missingInstances(
  session: Session,
  members: readonly string[],
  nowMs: number,
): Promise<'none' | 'silent' | 'living'> {
  const { rows } = await session.ask(INSTANCES, {})
  const missing = rows.filter(({ name }) => !members.includes(name))
  if (missing.length === 0) return 'none'
  return missing.some(({ seenMs }) => nowMs - seenMs < INSTANCE_SILENCE_MAX_MS)
    ? 'living'
    : 'silent'
}
