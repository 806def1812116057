import { Failure } from '../core/failure.ts'
import type { Store } from '../core/ports.ts'
import { readVenue, type VenueDeps } from './venue-read.ts'

/** Null when records are kept and the venue answers; otherwise what is missing, in our own words. */
export async function unready(
  deps: VenueDeps & { readonly store: Pick<Store, 'check'> },
): Promise<string | null> {
  const trouble = await deps.store.check()
  if (trouble !== null) return `store: ${trouble}`
  try {
    await readVenue(deps, { path: '/v1/public/system_info', missing: 'empty' })
    return null
  } catch (error) {
    return error instanceof Failure ? `venue: ${error.code}` : 'venue: internal'
  }
}
