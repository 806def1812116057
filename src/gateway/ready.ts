import { Failure } from '../core/failure.ts'
import { readVenue, type VenueDeps } from './venue-read.ts'

/** Null when the venue answers; otherwise what is missing, in our own words. */
export async function unready(deps: VenueDeps): Promise<string | null> {
  try {
    await readVenue(deps, { path: '/v1/public/system_info', missing: 'empty' })
    return null
  } catch (error) {
    return error instanceof Failure ? `venue: ${error.code}` : 'venue: internal'
  }
}
