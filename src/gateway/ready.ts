import { Failure } from '../core/failure.ts'
import type { Deps } from './deps.ts'
import { readVenue } from './venue-read.ts'

/** Null when the venue answers; otherwise what is missing, in our own words. */
export async function unready(deps: Pick<Deps, 'upstream'>): Promise<string | null> {
  try {
    await readVenue(deps, { path: '/v1/public/system_info', missing: 'empty' })
    return null
  } catch (error) {
    return error instanceof Failure ? `venue: ${error.code}` : 'venue: internal'
  }
}
