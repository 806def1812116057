import { QUOTE } from '../core/json-scan.ts'
import { PUBLIC_REMOVED_KEYS, REMOVED_KEYS, RENAMED_KEYS } from '../spec/scrub-lists.ts'
import { namePattern } from './name-pattern.ts'
import { mayHoldHost, venueNames } from './venue-name.ts'

/**
 * A look at raw JSON text that answers whether the scrub may have something to do. It errs on the side of yes: a
 * name that is exempt where it stands, any escape or any host makes a yes. A no is certain.
 */
export function createGlance(extraNames: readonly string[]): (text: string) => boolean {
  const names = namePattern([...venueNames(extraNames), ...KEYS], '[^a-z0-9"]*', '"')
  const opening = new RegExp(`[:[,{\\s]"${names}`, 'i')
  return (text) =>
    // Any escape may hide any letter.
    text.includes('\\') ||
    // `opening` wants a character before the quote, which spares it most closing quotes.
    text.charCodeAt(0) === QUOTE ||
    mayHoldHost(text) ||
    opening.test(text)
}

/** Keys are looked for as if they were names: that costs nothing more and misses none. */
const KEYS = [...REMOVED_KEYS, ...PUBLIC_REMOVED_KEYS, ...Object.keys(RENAMED_KEYS)]
