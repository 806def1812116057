import { type Session, type Statement, within } from './connection.ts'
import type { Server } from './server.ts'

const READ: Statement = {
  name: 'lineage',
  text: `SELECT lineage, (extract(epoch FROM lost_at) * 1000)::text AS "lostAtMs"
    FROM prepd_lineage WHERE lineage = $1`,
}
/** Whoever comes first writes it down, with the moment of the server's clock; who comes then finds it. */
const WRITE: Statement = {
  name: 'new lineage',
  text: `INSERT INTO prepd_lineage (id, lineage, lost_at) VALUES (0, $1, to_timestamp(0))
    ON CONFLICT (id) DO UPDATE SET lineage = excluded.lineage, lost_at = clock_timestamp()
    WHERE prepd_lineage.lineage <> excluded.lineage`,
}

/**
 * When this server was found to continue another history than the one that was last written to, in milliseconds since
 * the epoch; 0 when it never was. A standby that took over may lack what was committed last: nonces that may have been
 * burnt go, and what was signed before then and is not claimed may have been sent.
 */
export async function lostAt(session: Session, { lineage }: Server): Promise<number> {
  const known = await read(session, lineage)
  if (known !== null) return known
  await within(session, async () => {
    const { count } = await session.ask(WRITE, [lineage])
    if (count === 1) await session.run('DELETE FROM prepd_nonces')
  })
  return (await read(session, lineage)) ?? Number.POSITIVE_INFINITY
}

async function read(session: Session, lineage: string): Promise<number | null> {
  const { rows } = await session.ask<{ lostAtMs: string }>(READ, [lineage])
  return rows[0] === undefined ? null : Number(rows[0].lostAtMs)
}
