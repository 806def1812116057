import type { SharedPostgres } from '../../cluster/postgres.ts'

/** One change of a standby, as PostgreSQL made it; `before` is null for the first of a pair. */
export type Change = {
  readonly atMs: number
  readonly accountId: string
  readonly signedAtMs: number
  readonly state: string
  readonly failure: string | null
  readonly before: { readonly signedAtMs: number; readonly state: string } | null
}

/** Makes PostgreSQL itself note each change of a standby; answers how to read them. */
export async function watchChanges({ ask }: SharedPostgres, url: string) {
  const database = new URL(url).pathname.slice(1)
  await ask(
    `CREATE TABLE changes (id bigserial PRIMARY KEY, at_ms float8, account_id text, signed_at_ms float8,
       state text, failure text, old_signed_at_ms float8, old_state text);
     CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
       SET search_path = public AS $$
     BEGIN
       INSERT INTO changes (at_ms, account_id, signed_at_ms, state, failure, old_signed_at_ms, old_state)
       VALUES (extract(epoch FROM clock_timestamp()) * 1000, NEW.account_id, NEW.signed_at_ms,
         NEW.state, NEW.failure, OLD.signed_at_ms, OLD.state);
       RETURN NULL;
     END $$;
     CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON prepd_standbys
       FOR EACH ROW EXECUTE FUNCTION note_change()`,
    database,
  )
  return {
    changes: async (): Promise<readonly Change[]> => {
      const rows = await ask('SELECT * FROM changes ORDER BY id', database)
      return rows.map(changeOf)
    },
    /** How many are neither over nor withdrawn. */
    open: async (): Promise<number> => {
      const [row] = await ask(
        "SELECT count(*)::int AS count FROM prepd_standbys WHERE state IN ('armed', 'sending')",
        database,
      )
      return Number(row?.['count'])
    },
  }
}

function changeOf(row: Record<string, unknown>): Change {
  const { failure, old_signed_at_ms: oldSignedAtMs } = row
  return {
    atMs: Number(row['at_ms']),
    accountId: String(row['account_id']),
    signedAtMs: Number(row['signed_at_ms']),
    state: String(row['state']),
    failure: failure === null ? null : String(failure),
    before:
      oldSignedAtMs === null
        ? null
        : { signedAtMs: Number(oldSignedAtMs), state: String(row['old_state']) },
  }
}
