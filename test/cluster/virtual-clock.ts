import type { PostgresServer } from './postgres.ts'

/** The clock of one database: what prepd asks there for the time gets what was set last. */
export type VirtualClock = { readonly set: (atMs: number) => Promise<void> }

/** Gives a new database a clock of its own, before prepd is opened on it. */
export async function virtualClock(
  { ask }: Pick<PostgresServer, 'ask'>,
  url: string,
  atMs: number,
): Promise<VirtualClock> {
  const database = new URL(url).pathname.slice(1)
  const time = (name: string) =>
    `CREATE FUNCTION virtual.${name}() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM virtual.clock'`
  await ask(
    `CREATE SCHEMA virtual;
     CREATE TABLE virtual.clock (at timestamptz NOT NULL);
     INSERT INTO virtual.clock VALUES (to_timestamp(${atMs} / 1000.0));
     ${time('now')}; ${time('clock_timestamp')};
     GRANT USAGE ON SCHEMA virtual TO PUBLIC; GRANT SELECT ON virtual.clock TO PUBLIC;
     ALTER DATABASE ${database} SET search_path = public, virtual, pg_catalog`,
    database,
  )
  return {
    set: async (now) =>
      void (await ask(`UPDATE virtual.clock SET at = to_timestamp(${now} / 1000.0)`, database)),
  }
}
