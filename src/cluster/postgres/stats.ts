import type { StoreStats } from '../../core/ports.ts'
import { statement } from '../../store/connection/statement.ts'
import { COUNTED_MAX_ROWS } from '../../store/stats.ts'
import type { Link } from './primary-queries.ts'

/** The attempt in a row that has only the number of an action and no claim. */
export const ACTION_ATTEMPT = 'act'
/** The claims of signed writes. */
export const SIGNED_CLAIMS = `prepd_signed_claims WHERE attempt <> '${ACTION_ATTEMPT}'`
/** SQL: the claims without a duplicate among signed claims. A claim that an earlier version makes is in both tables. */
export const UNIQUE_CLAIMS = `prepd_claims WHERE NOT (is_of_earlier AND EXISTS (
  SELECT FROM prepd_signed_claims AS signed WHERE signed.identity = prepd_claims.identity))`

type Row = { readonly proofs: number; readonly claims: number; readonly bytes: number }

const FIGURES = statement<Row, { rowsMax: number }>(
  `SELECT (SELECT count(*) FROM (SELECT 1 FROM prepd_proofs LIMIT $rowsMax) AS p) AS proofs,
      (SELECT count(*) FROM (SELECT 1 FROM ${UNIQUE_CLAIMS}
        UNION ALL SELECT 1 FROM ${SIGNED_CLAIMS} LIMIT $rowsMax) AS c) AS claims,
      pg_database_size(current_database()) AS bytes`,
)

/** The figures of the last read, available without a wait. */
export type ReadStats = StoreStats & { readonly read: () => Promise<void> }

export function createStats({ ask }: Pick<Link, 'ask'>): ReadStats {
  let last: Row | null = null
  return {
    proofs: () => last?.proofs ?? null,
    claims: () => last?.claims ?? null,
    bytes: () => last?.bytes ?? null,
    walBytes: () => null,
    syncMs: () => null,
    read: async () => {
      const { rows } = await ask(FIGURES, { rowsMax: COUNTED_MAX_ROWS })
      last = rows[0] ?? null
    },
  }
}
