import { SYMBOL_PATTERN } from '../../contract/market/symbols.ts'
import type { SettingKind } from '../../contract/settings.ts'
import { TOOL_GROUPS } from '../../contract/tool-groups.ts'
import { parseBaseUrl, parseHttpUrl, withoutBrackets } from '../base-url.ts'
import { type Cidr, ipVersion, isInAnyBlock, parseCidrs } from '../client-address.ts'
import { isAccountTag } from '../crypto/account-tag.ts'
import { isEip55 } from '../crypto/checksum.ts'
import { isHash } from '../hex.ts'
import { reportUnexpected } from '../loop/guarded.ts'
import type { TextKind } from '../text-kind.ts'
import { parsePostgres, parseValkey } from './engine-urls.ts'
import {
  hexKeyLines,
  keyLines,
  parseAgentKey,
  parseFeeRates,
  parseInstant,
  parsePolicy,
  parseRate,
  parseTradingKey,
  parseUsdc,
  parseWholeNumber,
  wholeNumberTo,
} from './figures.ts'
import { isHostName, parseListenAddress } from './listen-address.ts'
import { TRACE_KINDS } from './traces.ts'
import { VENUE_KINDS } from './venue-kinds.ts'

/** Parsers of list settings (null: every name) and of agents' limits (null: no limit). */
const LIST_KINDS = {
  countOrOff: {
    expects: 'a whole number from 1, or off',
    parse: (text: string) => (text === 'off' ? null : parseWholeNumber(text) || undefined),
  },
  // The value is in Unix ms.
  instantOrOff: {
    expects: 'a time of UTC from 2000 to 2099 such as 2026-01-01T00:00:00Z, or off',
    parse: (text: string) => (text === 'off' ? null : parseInstant(text)),
  },
  marketsOrAll: {
    expects: 'markets such as PERP_ETH_USDC, separated by commas, or all',
    parse: (text: string) => {
      if (text === 'all') return null
      const symbols = splitItems(text)
      return symbols.every((symbol) => MARKET_NAME.test(symbol)) ? symbols : undefined
    },
  },
  symbolsOrOff: {
    expects: 'markets such as PERP_ETH_USDC, separated by commas, none, or off',
    parse: (text: string) => {
      if (text === 'off' || text === 'none') return text === 'off' ? null : []
      const symbols = splitItems(text)
      return symbols.every((symbol) => SYMBOL_PATTERN.test(symbol)) ? symbols : undefined
    },
  },
  toolGroupsOrOff: {
    expects: `some of ${TOOL_GROUPS.join(', ')}, separated by commas, or off`,
    parse: (text: string) => {
      if (text === 'off') return null
      const words = splitItems(text)
      const groups = TOOL_GROUPS.filter((group) => words.includes(group))
      return groups.length === words.length ? groups : undefined
    },
  },
}

/** The venue decides whether the market exists. */
const MARKET_NAME = /^[\w-]{1,64}$/

function splitItems(text: string): readonly string[] {
  return text.split(',').map((item) => item.trim())
}

/** The parser of each kind, which does not trim or change case. `null` is the value of the word `off`. */
const KINDS = {
  ...TRACE_KINDS,
  ...LIST_KINDS,
  ...VENUE_KINDS,
  accountId: { expects: '0x and 64 hex characters', parse: lowerHash },
  accountOrTag: {
    expects: '0x and 64 hex characters, or the 16 of an account in the log',
    parse: (text) => (isAccountTag(text) ? text : lowerHash(text)),
  },
  // The value is in lower case.
  address: { expects: '0x and 40 hex characters', parse: parseAddress },
  allowedHosts: {
    expects: 'host names without ports, separated by commas, or none',
    parse: listOf(parseHost),
  },
  allowedOrigins: {
    expects: '*, none, or origins such as https://app.example.com, separated by commas',
    parse: (text) => (text === '*' ? '*' : listOf(parseOrigin)(text)),
  },
  apiUrl: {
    expects: 'an http or https URL without credentials, query or fragment',
    // Users often paste the address of the tools, which ends in /mcp.
    parse: (text) => parseHttpUrl(text.replace(/\/mcp\/?$/, '')),
  },
  blocks: {
    expects:
      'address blocks such as 10.0.0.0/8 and none of all addresses, separated by commas, or none',
    parse: parseBlocks,
  },
  boolean: { expects: 'on or off', parse: parseOnOff },
  brokerId: {
    expects: 'letters, digits, _ and -, at most 64',
    parse: matching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/),
  },
  // The minimum is one connection per use.
  connections: { expects: 'a whole number from 3 to 1000', parse: parseConnections },
  fencing: { expects: 'prepd or operator', parse: oneOf(['prepd', 'operator']) },
  idleSeconds: { expects: 'a whole number from 0 to 86400', parse: wholeNumberTo(86_400) },
  postgres: {
    expects: 'a postgres:// URL with user and database, and off this machine sslmode=verify-full',
    parse: parsePostgres,
  },
  valkey: {
    expects:
      'a redis://, rediss://, valkey://, valkeys:// or valkey+sentinel:// URL, off this machine one with TLS',
    parse: parseValkey,
  },
  fees: { expects: 'two or four basis points such as 6,2, each at most 100', parse: parseFeeRates },
  // The value is in Unix ms.
  instant: {
    expects: 'a time of UTC from 2000 to 2099 such as 2026-01-01T00:00:00Z',
    parse: parseInstant,
  },
  integrator: {
    expects: 'letters, digits, ., _ and -, at most 64',
    parse: matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  },
  listen: { expects: 'host:port or [IPv6]:port', parse: parseListenAddress },
  listenOrOff: { expects: 'host:port, [IPv6]:port or off', parse: withOff(parseListenAddress) },
  logLevel: {
    expects: 'error, warn, info or debug',
    parse: oneOf(['error', 'warn', 'info', 'debug']),
  },
  names: {
    expects: 'names of at most 64 characters, separated by commas, or none',
    parse: listOf(matching(/^[^\p{Cc}]{1,64}$/u)),
  },
  // The current key, then the previous key.
  operatorKeys: {
    expects: 'one line, or two, each of 32 to 256 visible ASCII characters without spaces',
    parse: keyLines,
  },
  path: { expects: 'a path', parse: matching(/^[^\0]+$/) },
  pathOrOff: { expects: 'a path or off', parse: withOff(matching(/^[^\0]+$/)) },
  policy: { expects: 'written as 600/60s burst 120, or off', parse: withOff(parsePolicy) },
  rate: { expects: 'a decimal from 0 to 1', parse: parseRate },
  // Lower case; null means no allowlist.
  routers: {
    expects: 'addresses, 0x and 40 hex characters each, separated by commas, or none',
    parse: (text) => (text === 'none' ? null : toSet(listOf(parseAddress)(text))),
  },
  secret: {
    expects: '1 to 256 visible ASCII characters without spaces',
    parse: matching(/^[\x21-\x7e]{1,256}$/),
  },
  serviceName: {
    expects: 'letters, digits and hyphens, at most 32',
    parse: matching(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,30}[A-Za-z0-9])?$/),
  },
  signature: { expects: '0x and 130 hex characters', parse: matching(/^0x[0-9a-fA-F]{130}$/) },
  stream: {
    expects: 'embedded, off, or a wss base URL (ws to loopback only) without path or credentials',
    parse: withOff((text) => (text === 'embedded' ? text : socketUrl(text))),
  },
  swap: {
    expects:
      'embedded, off, or an https base URL (http to loopback only) without path or credentials',
    parse: withOff(embeddedOrUrl),
  },
  tradingKeyOrKeychain: { expects: 'keychain, or a trading key', parse: parseAgentKey },
  // The 32 bytes of an Ed25519 secret.
  tradingKey: {
    expects: '64 hex characters, or ed25519: and the base58 of 32 bytes',
    parse: parseTradingKey,
  },
  // The value is in micro-USDC.
  usdc: { expects: 'an amount with at most six decimals', parse: parseUsdc },
  usdcOrOff: { expects: 'an amount with at most six decimals, or off', parse: withOff(parseUsdc) },
  venue: {
    expects: 'embedded, or an https base URL (http to loopback only) without path or credentials',
    parse: embeddedOrUrl,
  },
  venueLimits: { expects: 'live or off', parse: withOff(oneOf(['live'])) },
  // The 32 bytes of secp256k1 secrets: the current key, then the previous key.
  walletKeys: {
    expects: 'one line, or two, each of 64 hex characters, not all zero',
    parse: hexKeyLines,
  },
  graceSeconds: { expects: 'a whole number from 0 to 60', parse: wholeNumberTo(60) },
  wholeNumber: { expects: 'a whole number from 0 to 9007199254740991', parse: parseWholeNumber },
} satisfies Readonly<Record<SettingKind, TextKind<unknown>>>

/** The type of each kind's parsed value. */
export type KindValues = {
  readonly [K in SettingKind]: Exclude<ReturnType<(typeof KINDS)[K]['parse']>, undefined>
}

/** The kinds by their names; `expects` ends the sentence "SETTING must be …". */
export const SETTING_KINDS: { readonly [K in SettingKind]: TextKind<KindValues[K]> } = KINDS

function matching(shape: RegExp): (text: string) => string | undefined {
  return (text) => (shape.test(text) ? text : undefined)
}

function lowerHash(text: string): string | undefined {
  return isHash(text) ? text.toLowerCase() : undefined
}

function oneOf<const Word extends string>(words: readonly Word[]) {
  return (text: string): Word | undefined => words.find((word) => word === text)
}

function parseOnOff(text: string): boolean | undefined {
  return text === 'on' || text === 'off' ? text === 'on' : undefined
}

function withOff<Value>(parse: (text: string) => Value | undefined) {
  return (text: string): Value | null | undefined => (text === 'off' ? null : parse(text))
}

/** Items separated by commas, all valid. The word `none` is the empty list; an empty text is invalid. */
function listOf<Item>(parse: (text: string) => Item | undefined) {
  return (text: string): readonly Item[] | undefined => {
    if (text === 'none') return []
    const items = text.split(',').map((item) => parse(item.trim()))
    return items.every((item) => item !== undefined) ? items : undefined
  }
}

function toSet(items: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return items && new Set(items)
}

function embeddedOrUrl(text: string): 'embedded' | URL | undefined {
  return text === 'embedded' ? text : parseBaseUrl(text)
}

/** A base URL of WebSockets, with the rules of the HTTP URL that opens them. */
function socketUrl(text: string): URL | undefined {
  return /^wss?:/.test(text) ? parseBaseUrl(text.replace(/^ws/, 'http')) : undefined
}

/** An origin in the spelling of browsers, because another spelling would never compare equal. */
function parseOrigin(text: string): string | undefined {
  const url = /^https?:/.test(text) ? URL.parse(text) : null
  // Browsers never send a pattern, so an origin with `*` would be useless.
  return url?.origin === text && !url.hostname.includes('*') ? text : undefined
}

/** Refuses a mixed-case address with a wrong checksum as a typing mistake, which could cost money. */
function parseAddress(text: string): string | undefined {
  return isEip55(text) ? text.toLowerCase() : undefined
}

function parseHost(text: string): string | undefined {
  const bare = withoutBrackets(text)
  if (ipVersion(bare) === 6) return `[${bare.toLowerCase()}]`
  return isHostName(text) ? text.toLowerCase() : undefined
}

function parseBlocks(text: string): readonly Cidr[] | undefined {
  if (text === 'none') return []
  try {
    const blocks = parseCidrs(text.split(','))
    return blocks.some(coversAllAddresses) ? undefined : blocks
  } catch (error) {
    reportUnexpected('process', error, Error)
    return undefined
  }
}

/**
 * Whether a block contains all IPv4 or all IPv6 addresses; if such a block were trusted, any client could forge its
 * address.
 */
function coversAllAddresses(block: Cidr): boolean {
  return ADDRESS_RANGE_ENDS.some((ends) => ends.every((address) => isInAnyBlock([block], address)))
}

const ADDRESS_RANGE_ENDS = [
  ['0.0.0.0', '255.255.255.255'],
  ['::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
]

function parseConnections(text: string): number | undefined {
  const number = parseWholeNumber(text) ?? 0
  return number >= 3 && number <= 1000 ? number : undefined
}
