import { nearestTo } from '../core/settings/suggest.ts'

/**
 * Argument names that models use, by meaning: the tool's own name and the names in other APIs. A meaning includes the
 * value's unit, so two words of one meaning take the same value. Case, `_` and `-` are ignored. A word may have several
 * meanings.
 */
const WORDS = {
  market:
    'symbol symbols market markets instrument coin ticker pair asset product contract currency market_symbol market_id base token',
  side: 'side direction order_side buy_sell',
  order_type: 'order_type type kind ord_type algo_type',
  base_size: 'order_quantity quantity qty base_quantity base_size base_amount order_qty units',
  usdc_size:
    'order_amount notional usd usdc dollars value quote_amount quote_quantity quote_size amount_usd amount_usdc usdc_amount usd_amount notional_usd order_value cost',
  size: 'size amount volume order_size position_size sz',
  price: 'order_price price limit_price limit px at_price',
  bound: 'max_price min_price worst_price price_limit price_cap price_bound',
  risk: 'risk_usdc risk_usd risk_amount max_loss max_loss_usdc max_loss_usd loss_usdc amount_at_risk',
  risk_unclear: 'risk risk_pct risk_percent',
  percent: 'percent pct percentage percent_close close_percent share_percent',
  fraction: 'fraction share ratio portion part proportion',
  trigger: 'trigger_price trigger stop_price activation_price stop_trigger trigger_at',
  stop_loss: 'stop_loss sl stop_loss_price sl_price stop_price stop',
  take_profit: 'take_profit tp take_profit_price tp_price target target_price',
  callback_fraction: 'callback_rate callback trail_rate trailing_rate',
  callback_percent: 'callback_percent callback_pct trailing_percent trailing_pct trail_percent',
  trailing: 'trail trailing trailing_stop trailing_distance trailing_delta trailing_offset',
  reduce_only: 'reduce_only reduce close_only',
  closing: 'close_position close close_all',
  order_id: 'order_id id order order_number',
  algo_order_id: 'algo_order_id algo_id conditional_order_id stop_id id',
  client_order_id: 'client_order_id client_id cloid cl_ord_id clid client_oid',
  slippage: 'slippage',
  slippage_percent: 'slippage_pct slippage_percent',
  slippage_bps: 'slippage_bps',
  slippage_unclear: 'max_slippage slippage_tolerance slippage_limit tolerance',
  visible_size: 'visible_quantity display_quantity display_qty visible_qty iceberg_qty',
  tag: 'order_tag tag label note comment memo',
  margin_mode: 'margin_mode margin_type mode margin',
  isolated: 'isolated cross is_isolated cross_margin',
  leverage: 'leverage lev',
  time_in_force: 'time_in_force tif',
  post_only: 'post_only post maker maker_only',
  expiry: 'expires_in expire expires expiry expiration good_till gtd ttl valid_until valid_for',
  includes_stops: 'include_algo include_stops include_tp_sl',
  keeps_stops: 'keep_stops keep_algo keep_tp_sl',
  dry_run: 'dry_run preview test simulate validate_only test_only',
  seconds: 'after_seconds seconds secs timeout_seconds',
  milliseconds: 'after_ms timeout_ms ms milliseconds',
  duration: 'timeout after delay wait',
  receiver: 'receiver recipient to destination to_address destination_address',
  wallet: 'wallet wallet_address from_address owner signer',
  address: 'address',
  chain: 'chain_id chain network network_id',
  weights: 'targets weights allocation allocations portfolio target',
  row_count: 'limit size count rows page_size per_page top',
  since: 'start_t since start_time start from',
  until: 'end_t end_time end to',
  interval: 'interval timeframe resolution granularity period',
  search: 'search query q',
  sort: 'sort sort_by order_by',
  referral_code: 'code referral_code ref_code',
} as const

export type ArgumentMeaning = keyof typeof WORDS

/** Converts an argument's value to another unit; null if the unit of the given value is uncertain. */
type Conversion = {
  readonly from: ArgumentMeaning
  readonly to: ArgumentMeaning
  readonly value: (given: unknown) => number | boolean | null
}

export const CONVERSIONS: readonly Conversion[] = [
  { from: 'fraction', to: 'percent', value: (given) => scaled(given, 100, 1) },
  { from: 'slippage_percent', to: 'slippage', value: (given) => scaled(given, 0.01, 100) },
  { from: 'slippage_bps', to: 'slippage', value: (given) => scaled(given, 0.0001, 10_000) },
  { from: 'callback_percent', to: 'callback_fraction', value: (given) => scaled(given, 0.01, 100) },
  { from: 'milliseconds', to: 'seconds', value: (given) => scaled(given, 0.001, Infinity) },
  {
    from: 'keeps_stops',
    to: 'includes_stops',
    value: (given) => (typeof given === 'boolean' ? !given : null),
  },
]

/** The possible meanings of words whose unit or form is uncertain. */
export const AMBIGUOUS_MEANINGS: Readonly<
  Partial<Record<ArgumentMeaning, readonly ArgumentMeaning[]>>
> = {
  size: ['base_size', 'usdc_size', 'percent'],
  fraction: ['percent'],
  bound: ['price'],
  risk_unclear: ['risk'],
  slippage_unclear: ['slippage'],
  trailing: ['callback_fraction'],
  isolated: ['margin_mode'],
  time_in_force: ['order_type'],
  post_only: ['order_type'],
  duration: ['seconds'],
  address: ['wallet', 'receiver'],
}

const DIGITS = 12

function scaled(given: unknown, by: number, max: number): number | null {
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given
  const isWithin = typeof number === 'number' && number > 0 && number <= max
  return isWithin ? Number((number * by).toFixed(DIGITS)) : null
}

/** A name in lower case without separators: `orderQty` and `order-qty` become the same word. */
export function plainWord(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

const MEANINGS: ReadonlyMap<string, readonly ArgumentMeaning[]> = meaningsByWord()

function meaningsByWord(): ReadonlyMap<string, readonly ArgumentMeaning[]> {
  const found = new Map<string, readonly ArgumentMeaning[]>()
  for (const meaning of Object.keys(WORDS).filter(isMeaning)) {
    for (const word of WORDS[meaning].split(' ').map(plainWord))
      found.set(word, [...(found.get(word) ?? []), meaning])
  }
  return found
}

function isMeaning(name: string): name is ArgumentMeaning {
  return Object.hasOwn(WORDS, name)
}

/** The meanings of a word; empty if it is unknown. */
export function wordMeanings(word: string): readonly ArgumentMeaning[] {
  return MEANINGS.get(plainWord(word)) ?? []
}

/** Spelling tolerance: one wrong letter per five letters. */
const LETTERS_PER_EDIT = 5

/**
 * The most likely spelling of a misspelled word, from `names` or the words that models use. Undefined if no word is
 * near, or two are equally near.
 */
export function correctSpelling(misspelled: string, names: readonly string[]): string | undefined {
  const word = plainWord(misspelled)
  const plain = names.map(plainWord)
  if (word.length < 3) return undefined
  const known = [...new Set([...plain, ...MEANINGS.keys()])]
  const nearest = nearestTo(word, known, LETTERS_PER_EDIT)
  // If two words are equally near, a search in reverse order finds a different word. Then no word is chosen.
  if (nearestTo(word, known.toReversed(), LETTERS_PER_EDIT) !== nearest) return undefined
  return nearest === undefined ? undefined : (names[plain.indexOf(nearest)] ?? nearest)
}
