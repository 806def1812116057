import {
  HOSTS,
  NAMES,
  PHRASES,
  PUBLIC_REMOVED_KEYS,
  REMOVED_KEYS,
  REMOVED_MEMBERS,
  RENAMED_KEYS,
  URL_PATH_BRANDS,
} from '../../contract/scrub-lists.ts'
import { QUOTE } from '../../core/json-scan.ts'
import { namePattern } from './name-pattern.ts'
import { createWholeNameTest } from './whole-name.ts'

/**
 * A test for strings that are, as a whole, the name, brand phrase, host or URL of a venue or route; a string that only
 * mentions one is not. `extraNames` are the operator's; a host name among them counts as a host too. A string of `0x`
 * and hex digits is never a name. Even `0x` alone is empty calldata, not a brand.
 */
export function createNameTest(extraNames: readonly string[]): (value: string) => boolean {
  const isWhole = createWholeNameTest(venueNames(extraNames))
  const hosts = new Set([...HOSTS, ...extraNames.map((name) => name.trim().toLowerCase())])
  return (value) =>
    (isWhole(value) || (mayHoldHost(value) && isVenueUrl(value, hosts))) && !HEX.test(value)
}

/** Names and phrases, the operator's with them. */
export function venueNames(extraNames: readonly string[]): readonly string[] {
  return [...NAMES, ...PHRASES, ...extraNames]
}

/** Whether a text can hold a host at all: a letter follows some dot, or the text has `//`. */
function mayHoldHost(text: string): boolean {
  return HOST_TRACE.test(text)
}

const HEX = /^0x[0-9a-fA-F]*$/
const HOST_TRACE = /\.[A-Za-z]|\/\//
/** Scheme, user, port and path are optional: a bare host is the shortest URL there is. Host and path are captured. */
const URL_PARTS =
  /^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/(?:[^/?#@]*@)?)?([a-z0-9.-]{1,254})(?::\d*)?(\/[^?#]*)?(?:[?#].*)?$/s

function isVenueUrl(value: string, hosts: ReadonlySet<string>): boolean {
  const [, host = '', path = ''] = URL_PARTS.exec(value.trim().toLowerCase()) ?? []
  return isAtOrBelow(host.replace(/\.$/, ''), hosts) || path.split('/').some(isPathBrand)
}

function isAtOrBelow(host: string, hosts: ReadonlySet<string>): boolean {
  const labels = host.split('.')
  return labels.some((_, at) => hosts.has(labels.slice(at).join('.')))
}

const PATH_BRANDS: ReadonlySet<string> = new Set(URL_PATH_BRANDS)

function isPathBrand(segment: string): boolean {
  return PATH_BRANDS.has(segment)
}

/**
 * A pre-scan of raw JSON text for anything that the scrub may have to change. An exempt name, an escape or a host also
 * makes a yes, so a yes may be wrong. A no is certain.
 */
export function createPreScan(extraNames: readonly string[]): (text: string) => boolean {
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

/** Keys are matched like names: that costs no more and finds every key. */
const KEYS = [
  ...REMOVED_KEYS,
  ...PUBLIC_REMOVED_KEYS,
  ...Object.keys(REMOVED_MEMBERS),
  ...Object.keys(RENAMED_KEYS),
]
