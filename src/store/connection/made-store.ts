import { Database } from 'bun:sqlite'
import { migrate } from '../migrations.ts'

/** Where a file says how it is written, and that this is with a log (https://www.sqlite.org/fileformat2.html, 1.3.3). */
const FORMAT_AT = { first: 18, end: 20 } as const
const WITH_LOG = 2

/** A store's file without a row, as the migrations make it. */
export function madeStore(): Uint8Array {
  using database = new Database(':memory:')
  migrate(database, ':memory:')
  const bytes = database.serialize()
  bytes.fill(WITH_LOG, FORMAT_AT.first, FORMAT_AT.end)
  return bytes
}
