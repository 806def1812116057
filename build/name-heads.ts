import { venueNames } from '../src/scrub/venue-name.ts'
import { nameHeads } from '../src/scrub/whole-name.ts'

/** The names that no answer may be, sorted as src/scrub/venue-name.ts looks for them, as JSON. */
export function nameHeadsText(): string {
  return JSON.stringify(nameHeads(venueNames([])))
}
