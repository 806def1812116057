import type { StoreStats } from '../../core/ports.ts'
import { COUNTED_MAX_ROWS } from '../stats.ts'
import type { Statement } from './connection.ts'
import type { Link } from './link.ts'

/** The claims that no signed claim repeats: one that an earlier prepd makes beside this one lies in both tables. */
export const UNREPEATED = `prepd_claims WHERE NOT (is_of_earlier AND EXISTS (
  SELECT FROM prepd_signed_claims AS signed WHERE signed.identity = prepd_claims.identity))`

const FIGURES: Statement = {
  name: 'figures',
  text: `SELECT (SELECT count(*)::int FROM (SELECT 1 FROM prepd_proofs LIMIT $1) AS p) AS proofs,
      (SELECT count(*)::int FROM (SELECT 1 FROM ${UNREPEATED}
        UNION ALL SELECT 1 FROM prepd_signed_claims LIMIT $1) AS c) AS claims,
      pg_database_size(current_database())::float8 AS bytes`,
}

type Row = { readonly proofs: number; readonly claims: number; readonly bytes: number }

/** Figures of the database as they were last read: whoever asks for them does not wait. */
export type ReadStats = StoreStats & { readonly read: () => Promise<void> }

export function createStats({ ask }: Pick<Link, 'ask'>): ReadStats {
  let last: Row | null = null
  return {
    proofs: () => last?.proofs ?? null,
    claims: () => last?.claims ?? null,
    bytes: () => last?.bytes ?? null,
    walBytes: () => null,
    read: async () => {
      const { rows } = await ask<Row>(FIGURES, [COUNTED_MAX_ROWS])
      last = rows[0] ?? null
    },
  }
}
