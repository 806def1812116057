import { PHRASES } from '../../contract/scrub-lists.ts'
import { SWAP_LIMITS } from '../../contract/swap.ts'
import { parseHttpUrl } from '../../core/base-url.ts'
import { formatDecimal, mulDiv, parseDecimal } from '../../core/decimals.ts'
import { createNameTest } from '../scrub/venue-name.ts'

/**
 * A token’s or chain’s name or symbol, without control and direction characters, cut to a length. The scrub keeps these
 * fields, because tokens have names such as 1INCH. A host or slogan of a route is therefore blanked here.
 */
export function toLabel(value: unknown, maxChars: number): string {
  if (typeof value !== 'string' || value.length > LABEL_READ_MAX_CHARS) return ''
  const label = value
    .toWellFormed()
    .replace(INVISIBLE_CHARACTERS, '')
    .trim()
    .slice(0, maxChars)
    .toWellFormed()
  return (SITE_TRACE.test(label) || isPhrase(label)) && isVenueName(label) ? '' : label
}

/** A token's name; '' if the whole name is the name of a venue or route. "Sushi Token" is kept. */
export function tokenName(name: string): string {
  return isVenueName(name) ? '' : name
}

/** The logo of a token if it is a plain `https` URL on a host that only serves token logos; otherwise ''. */
export function toLogoUrl(value: unknown): string {
  const url = plainUrl(value)
  if (url?.protocol !== 'https:' || !LOGO_HOSTS.has(url.host)) return ''
  return url.pathname.split(/[^A-Za-z0-9]+/).some(isVenueName) ? '' : url.href
}

/** The URL of a block explorer without a trailing slash; '' for an explorer of a route. */
export function toExplorerUrl(value: unknown): string {
  const url = plainUrl(value)
  if (url?.protocol !== 'https:') return ''
  const text = (url.origin + url.pathname).replace(/(?<!\/)\/+$/, '')
  return isVenueName(text) ? '' : text
}

/** A decimal amount of US dollars, cut to 18 decimals; null for any other value. */
export function parseUsd(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value
  const match = typeof text === 'string' && text.length <= USD_MAX_CHARS ? USD.exec(text) : null
  return match ? (match[1] ?? '') + (match[2] ?? '').slice(0, 1 + USD_SCALE) : null
}

/** The sum of amounts of US dollars. An unknown amount counts as zero. */
export function sumUsd(amounts: readonly (string | null)[]): string {
  return formatDecimal(
    amounts.reduce((sum, amount) => sum + scaledUsd(amount), 0n),
    USD_SCALE,
  )
}

/** The value of a token amount at the token's price, in US dollars with 18 decimals; null without a price. */
export function tokenUsdValue(
  amount: bigint,
  token: { readonly decimals: number; readonly priceUsd: string | null },
): bigint | null {
  if (token.priceUsd === null) return null
  return mulDiv(amount, scaledUsd(token.priceUsd), 10n ** BigInt(token.decimals), 'floor')
}

/** The value of a token amount at the token's price, as text in dollars and cents; null without a price. */
export function tokenUsdText(
  amount: bigint,
  token: { readonly decimals: number; readonly priceUsd: string | null },
): string | null {
  const value = tokenUsdValue(amount, token)
  return value === null ? null : centsText(mulDiv(value, 1n, CENT, 'half'))
}

/** Cents as text in dollars and cents. */
export function centsText(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}

const USD_SCALE = 18
const CENT = 10n ** BigInt(USD_SCALE - 2)
const USD_MAX_CHARS = 64
const USD = /^(0|[1-9]\d*)(\.\d+)?$/

function scaledUsd(text: string | null): bigint {
  return (text === null ? null : parseDecimal(text, USD_SCALE)) ?? 0n
}

// Characters that no name needs: control, format (such as direction marks), private-use and unassigned characters, and
// line and paragraph separators.
const INVISIBLE_CHARACTERS = /[\p{C}\p{Zl}\p{Zp}]/gu
const LABEL_READ_MAX_CHARS = 1024
/** A venue name with a dot, slash or space is a site, firm or slogan rather than a token, so it is blanked. */
const SITE_TRACE = /[./\s]/
const PHRASE_SET: ReadonlySet<string> = new Set(PHRASES)

const LOGO_HOSTS: ReadonlySet<string> = new Set([
  'assets.coingecko.com',
  'coin-images.coingecko.com',
  'static.debank.com',
  's2.coinmarketcap.com',
  'assets.trustwalletapp.com',
])

function isPhrase(label: string): boolean {
  return PHRASE_SET.has(label.replace(/[^A-Za-z0-9]/g, '').toLowerCase())
}

function plainUrl(value: unknown): URL | undefined {
  if (typeof value !== 'string' || value.length > SWAP_LIMITS.urlMaxChars) return undefined
  return parseHttpUrl(value)
}

// Created with the first list. At the start it would cost milliseconds.
let nameTest: ((value: string) => boolean) | undefined

function isVenueName(text: string): boolean {
  nameTest ??= createNameTest([])
  return nameTest(text)
}
