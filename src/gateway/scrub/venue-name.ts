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
 * Makes a test whether a whole string is the name, brand phrase, host or URL of a venue or route. A string that only
 * mentions a name fails the test. `extraNames`: the operator's names, which may be host names. `0x` with or without hex
 * digits is never a name, since it is calldata.
 */
export function createNameTest(extraNames: readonly string[]): (value: string) => boolean {
  const isWhole = createWholeNameTest(venueNames(extraNames))
  const hosts = new Set([...HOSTS, ...extraNames.map((name) => name.trim().toLowerCase())])
  return (value) =>
    (isWhole(value) || (mayHoldHost(value) && isVenueUrl(value, hosts))) && !HEX.test(value)
}

/** All names and phrases, including the operator's. */
export function venueNames(extraNames: readonly string[]): readonly string[] {
  return [...NAMES, ...PHRASES, ...extraNames]
}

/** Whether a text may contain a host: it has a letter after a dot, or `//`. */
function mayHoldHost(text: string): boolean {
  return HOST_TRACE.test(text)
}

const HEX = /^0x[0-9a-fA-F]*$/
const HOST_TRACE = /\.[A-Za-z]|\/\//
/** Captures host and path of a URL. Scheme, user, port and path are optional, so a plain host also matches. */
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
 * A pre-scan of JSON text: whether the scrub may have to change it. True may be wrong, for example for an exempt name,
 * an escape or any host. False is certain.
 */
export function createPreScan(extraNames: readonly string[]): (text: string) => boolean {
  const names = namePattern([...venueNames(extraNames), ...KEYS], '[^a-z0-9"]*', '"')
  const opening = new RegExp(`[:[,{\\s]"${names}`, 'i')
  return (text) =>
    // Text with an escape may have to change, because an escape may hide any letter.
    text.includes('\\') ||
    // `opening` needs a character before the quote (this excludes most closing quotes), so a leading quote is tested
    // here.
    text.charCodeAt(0) === QUOTE ||
    mayHoldHost(text) ||
    opening.test(text)
}

/** Keys are matched together with names, at no extra cost. */
const KEYS = [
  ...REMOVED_KEYS,
  ...PUBLIC_REMOVED_KEYS,
  ...Object.keys(REMOVED_MEMBERS),
  ...Object.keys(RENAMED_KEYS),
]
