import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import type { StoreStats } from '../core/ports.ts'
import type { LogSync } from './connection/log-sync.ts'

/** Maximum number of counted rows, so that a report does not block other requests. */
export const COUNTED_MAX_ROWS = 100_000

/** Reads the figures of a store. */
export function readStats(database: Database, { tookMs }: Pick<LogSync, 'tookMs'>): StoreStats {
  return {
    proofs: figure(database, countQuery('proofs')),
    claims: figure(database, countQuery('claims WHERE expires_at_ms > 0')),
    bytes: figure(
      database,
      'SELECT page_count * page_size AS figure FROM pragma_page_count, pragma_page_size',
    ),
    walBytes: () => statSync(`${database.filename}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    syncMs: tookMs,
  }
}

function countQuery(table: 'proofs' | 'claims WHERE expires_at_ms > 0'): string {
  return `SELECT count(*) AS figure FROM (SELECT 1 FROM ${table} LIMIT ${COUNTED_MAX_ROWS})`
}

// Prepares the statement at first use, since most processes never report figures.
function figure(database: Database, sql: string): () => number {
  return () => database.query<{ figure: number }, []>(sql).get()?.figure ?? 0
}
