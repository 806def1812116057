import { isObject } from '../../src/core/json.ts'

/** In every value that stands under a planted key, and nowhere else. */
const SENTINEL = 'zzplanted'

/** The nine keys that no answer may have. */
const REMOVED = [
  ...['broker_id', 'brokerId', 'broker_name', 'brokerName', 'dex_id'],
  ...['builder_id', 'builder_name', 'vendor', 'provider'],
] as const

/** Names, phrases and hosts as venues and routes write them; each becomes an empty string. */
const NAMES = [
  ...[
    'Orderly Network',
    'ORDERLY',
    'woofi_pro',
    'WOOFi Pro',
    'LI.FI',
    'lifi',
    '1inch',
    'Uniswap V3',
  ],
  ...[
    'Powered by Orderly',
    'via LI.FI',
    'https://api.orderly.org/v1/x',
    'wss://ws.orderly.network',
  ],
  ...['across.to', 'HTTPS://LI.QUEST', 'Stargate V2', 'jumper.exchange', 'SushiSwap', 'relay.link'],
] as const

/** Keys whose strings are identifiers, never names. */
const EXEMPT: readonly string[] = [
  ...['symbol', 'base', 'quote', 'token', 'nativeSymbol', 'display_symbol_name', 'address', 'to'],
  ...['from', 'data', 'signature', 'digest', 'txHash', 'hash', 'id', 'chainId', 'code', 'asset'],
  ...['referral_code', 'referer_code', 'referral_codes', 'client_order_id', 'tx_id', 'fee_asset'],
  ...['bind_code', 'order_tag', 'tag'],
  ...['margin_token', 'currency', 'base-currency', 'currency_symbol', 'signer', 'name'],
]

const SUFFIXED = 'PERP_ETH_USDC_woofi_pro'

/** A recorded answer with a removed key and a listed name in every object and a name in every list, at any depth. */
export function planted(value: unknown): unknown {
  if (Array.isArray(value)) return [...value.map(planted), ...suffixedOf(value), 'LI.FI']
  if (!isObject(value)) return value
  return {
    ...Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, planted(inner)])),
    ...Object.fromEntries(
      REMOVED.map((key, at) => [key, at % 2 ? SENTINEL : { [key]: [SENTINEL] }]),
    ),
    ...Object.fromEntries(
      NAMES.map((name, at) => [`extra_${at}`, at % 3 ? name : [{ deep: name }]]),
    ),
  }
}

/** A row of a market that carries a builder's suffix, in lists of markets. */
function suffixedOf(list: readonly unknown[]): unknown[] {
  const [first] = list
  return isObject(first) && 'symbol' in first ? [{ ...first, symbol: SUFFIXED }] : []
}

/** A recorded answer in which every string that may be a name is one. */
export function renamed(value: unknown, owner = ''): unknown {
  if (typeof value === 'string') return EXEMPT.includes(owner) ? value : nameFor(value)
  if (Array.isArray(value)) return value.map((element) => renamed(element, owner))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, renamed(inner, key)]))
}

function nameFor(text: string): string {
  return NAMES[text.length % NAMES.length] ?? text
}

const bare = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
const BARE_NAMES = new Set(NAMES.map(bare))

/** What an answer gives away, in words; none when it is clean. Private rows keep the market names of their user. */
export function leaks(value: unknown, audience: 'public' | 'private', owner = ''): string[] {
  if (typeof value === 'string') return leaksOfText(value, audience, owner)
  if (Array.isArray(value)) return value.flatMap((element) => leaks(element, audience, owner))
  if (!isObject(value)) return []
  const gone: readonly string[] = audience === 'public' ? [...REMOVED, 'broker_ids'] : REMOVED
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(gone.includes(key) || key === 'orderly_key' ? [`the key ${key}`] : []),
    ...leaks(inner, audience, key),
  ])
}

function leaksOfText(text: string, audience: 'public' | 'private', owner: string): string[] {
  if (text.includes(SENTINEL)) return [`what was planted, under ${owner}`]
  if (audience === 'public' && text.includes(SUFFIXED)) return ['a builder’s market']
  return !EXEMPT.includes(owner) && BARE_NAMES.has(bare(text)) ? [`${text}, under ${owner}`] : []
}

/** Headers of a talkative venue, which no caller may see. */
export const TALKATIVE = {
  server: 'woofi',
  'x-powered-by': 'Orderly Network',
  'set-cookie': `broker_id=${SENTINEL}`,
  via: '1.1 relay.link',
  etag: `"${SENTINEL}"`,
} as const

/** What the headers of an answer give away. */
export function headerLeaks(headers: Headers): string[] {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`)
  return lines.filter((line) =>
    /zzplanted|orderly|woofi|li\.?fi|relay\.link|broker|x-powered-by|set-cookie|^server|^via/i.test(
      line,
    ),
  )
}
