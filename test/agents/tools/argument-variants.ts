/** Names that a model may send in place of an argument's. */

const LETTERS = 'aest'

/** Every name that one slip of the keys makes: a letter missing, doubled, replaced or swapped with the next. */
export function misspellings(name: string): readonly string[] {
  const made = [...name].flatMap((letter, at) => {
    const [before, after] = [name.slice(0, at), name.slice(at + 1)]
    const swapped = before + (after[0] ?? '') + letter + after.slice(1)
    const replaced = [...LETTERS].map((other) => before + other + after)
    return [before + after, before + letter + letter + after, swapped, ...replaced]
  })
  return [...new Set(made)].filter((word) => word !== name && word !== '')
}

/** The same words in the styles of other languages. */
export function styles(name: string): readonly string[] {
  const words = name.split('_')
  const capital = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  const camel = [words[0], ...capital.slice(1)].join('')
  const made = [camel, capital.join(''), words.join('-'), words.join(''), name.toUpperCase()]
  return [...new Set(made)].filter((word) => word !== name)
}

const PREFIXES = ['', 'max_', 'close_', 'stop_', 'base_']
const SUFFIXES = ['', 's', '_price', '_size', '_usd', '_only']

/** Names made of parts of other names: most of them nobody has thought of. */
export function combined(stems: readonly string[]): readonly string[] {
  const made = stems.flatMap((stem) =>
    PREFIXES.flatMap((prefix) => SUFFIXES.map((suffix) => prefix + stem + suffix)),
  )
  return [...new Set(made)]
}

/** Words of other APIs by the argument that takes the same value. */
export const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  symbol: [
    'market',
    'instrument',
    'coin',
    'ticker',
    'pair',
    'symbols',
    'product',
    'contract',
    'instId',
  ],
  side: ['direction', 'orderSide', 'positionSide', 'action'],
  order_type: ['type', 'ordType', 'kind', 'execution'],
  order_quantity: [
    'quantity',
    'qty',
    'size',
    'amount',
    'baseSize',
    'sz',
    'contracts',
    'volume',
    'units',
  ],
  order_amount: ['notional', 'usd', 'amount', 'quoteQty', 'value', 'usdc', 'quoteOrderQty', 'cost'],
  order_price: ['price', 'px', 'limit_price', 'limit', 'limitPx', 'max_price', 'min_price', 'rate'],
  reduce_only: ['reduceOnly', 'reduce', 'close_only', 'close_position', 'closing'],
  client_order_id: ['cloid', 'clOrdId', 'newClientOrderId', 'client_id', 'clientOid'],
  slippage: ['max_slippage', 'slippage_tolerance', 'slippageBps', 'slippage_pct', 'tolerance'],
  visible_quantity: ['iceberg', 'display_qty', 'icebergQty', 'displaySize', 'shown'],
  margin_mode: ['isolated', 'marginType', 'tdMode', 'mode', 'cross'],
  take_profit: ['tp', 'take_profit_price', 'tpTriggerPx', 'target', 'profit_target'],
  stop_loss: ['sl', 'stop_loss_price', 'stop', 'stopPrice', 'slTriggerPx', 'trigger_price'],
  take_profit_price: ['tp', 'take_profit', 'tp_price', 'target'],
  stop_loss_price: ['sl', 'stop_loss', 'stop', 'stop_price', 'trigger'],
  order_id: ['id', 'orderId', 'oid', 'order', 'order_ids'],
  algo_order_id: ['id', 'algoId', 'stop_id', 'order_id', 'oid'],
  include_algo: ['keep_stops', 'include_stops', 'algo', 'stops', 'only_algo'],
  percent: [
    'pct',
    'percentage',
    'fraction',
    'share',
    'ratio',
    'portion',
    'size',
    'quantity',
    'amount',
    'order_quantity',
  ],
  algo_type: ['type', 'kind', 'order_type'],
  trigger_price: ['stop_price', 'trigger', 'stopPx', 'activation_price'],
  callback_rate: ['callback', 'trail', 'trailing_percent', 'callbackRate', 'distance'],
  leverage: ['lev', 'max_leverage', 'multiplier'],
  targets: ['weights', 'allocation', 'portfolio', 'target_weights'],
  after_seconds: ['timeout', 'seconds', 'after', 'timeout_ms', 'ttl', 'minutes'],
  amount: ['usdc', 'value', 'quantity', 'size'],
  chain_id: ['chain', 'chainId', 'network'],
  wallet: ['address', 'from', 'owner'],
  receiver: ['to', 'recipient', 'destination', 'address'],
  code: ['referral_code', 'refCode', 'ref'],
}
