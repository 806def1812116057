import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openVenueFile, type VenueFile } from './venue-file.ts'

const NAME = 'prepd.notices.sqlite'

/**
 * Opens the file of notices to the operator in a data directory, which is like that of the embedded venue. Throws
 * StoreNewerError, StoreUnusableError.
 */
export function openNoticeFile(dataDir: string | null): VenueFile {
  if (dataDir === null) return openVenueFile(':memory:')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return openVenueFile(join(dataDir, NAME))
}
