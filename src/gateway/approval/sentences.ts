import { formatDecimal, mulDiv, SCALE } from '../../core/decimals.ts'
import type { MarketBound } from '../../perp/order-worst-case.ts'
import { Decimal, objectsIn, type StrictObject, type StrictValue } from '../../perp/strict-json.ts'
import { LIMIT_PRICE_TYPES } from '../../perp/write-effects.ts'

type Bounds = ReadonlyMap<string, MarketBound>

/** Describes a write in sentences, one per line: its effect, and every member of its body that the sentence does not name. */
export function writeSentences(
  name: string,
  body: StrictObject,
  bounds: Bounds,
): readonly string[] {
  const sentences = Object.hasOwn(SENTENCES, name) ? SENTENCES[name] : undefined
  return sentences ? sentences(body, bounds) : [`${name}${restText(body, [])}`]
}

type Sentences = (body: StrictObject, bounds: Bounds) => readonly string[]

const SENTENCES: Readonly<Record<string, Sentences>> = {
  'POST /v1/order': (body, bounds) => [plainOrder(body, bounds)],
  'PUT /v1/order': (body, bounds) => [
    `Change order ${quotedValue(body.get('order_id'))} to: ${plainOrder(body, bounds, ['order_id'])}${UNCHANGED_REST}`,
  ],
  'POST /v1/batch-order': (body, bounds) => {
    const orders = objectsIn(body.get('orders'))
    return orders.map((order, at) => `${at + 1} of ${orders.length}: ${plainOrder(order, bounds)}`)
  },
  'POST /v1/algo/order': (body, bounds) => algoOrder(body, bounds.get(bodySymbol(body))),
  'PUT /v1/algo/order': (body) => [
    `Change conditional order ${quotedValue(body.get('order_id'))}${restText(body, ['order_id'])}${UNCHANGED_REST}`,
  ],
  'POST /v1/client/leverage': leverage,
  'POST /v1/client/leverages': leverage,
  'POST /v1/client/margin_mode': (body) => [
    `Set the margin mode of ${marketText(body)} to ${quotedValue(body.get('default_margin_mode'))}` +
      restText(body, ['symbol', 'default_margin_mode']),
  ],
  'POST /v1/position_margin': (body) => [
    `${quotedValue(body.get('type'))} ${quotedValue(body.get('amount'))} USDC margin of ${marketText(body)}` +
      restText(body, ['type', 'amount', 'symbol']),
  ],
  'POST /v1/withdraw_request': withdrawal,
}

function leverage(body: StrictObject): readonly string[] {
  const rest = restText(body, ['symbol', 'leverage'])
  return [`Set the leverage of ${marketText(body)} to ${quotedValue(body.get('leverage'))}${rest}`]
}

function withdrawal(body: StrictObject): readonly string[] {
  const message = body.get('message')
  if (!(message instanceof Map)) return [`Withdraw${restText(body, [])}`]
  const [amount, token, receiver, chain] = ['amount', 'token', 'receiver', 'chainId'].map((name) =>
    quotedValue(message.get(name)),
  )
  return [
    `Withdraw ${amount} of the smallest units of ${token} to ${receiver} on chain ${chain}` +
      restText(message, ['amount', 'token', 'receiver', 'chainId']),
    `Signed by the wallet${restText(body, ['message'])}`,
  ]
}

/** The end of a sentence about a change. The quantity of a changed order includes the part that was already executed. */
const UNCHANGED_REST = '. What is not named stays as it is; a quantity is the whole order’s.'

const NAMED_MEMBERS = ['symbol', 'side', 'order_type', 'order_quantity', 'order_amount']

function plainOrder(body: StrictObject, bounds: Bounds, named: readonly string[] = []): string {
  const isPriced = LIMIT_PRICE_TYPES.has(body.get('order_type'))
  const others = isPriced ? ['order_price', ...named] : named
  const kind = `, ${quotedValue(body.get('order_type'))} order`
  const at = isPriced
    ? atPrice(body.get('order_price'))
    : atMarket(body, bounds.get(bodySymbol(body)), (mark) => `, now ${mark} USDC`)
  return `${sideText(body)} ${orderSizeText(body)}${kind}${at}${restText(body, [...NAMED_MEMBERS, ...others])}`
}

function orderSizeText(body: StrictObject): string {
  const [quantity, amount] = [body.get('order_quantity'), body.get('order_amount')]
  const value = amount === undefined ? '' : ` for ${quotedValue(amount)} USDC`
  return `${quantity === undefined ? '' : `${quotedValue(quantity)} `}${marketText(body)}${value}`
}

function atPrice(price: StrictValue | undefined): string {
  return price === undefined ? ' without a new price' : ` at ${quotedValue(price)} USDC`
}

/** Describes how far from the mark price the venue executes an order without a price. */
function atMarket(
  body: StrictObject,
  bound: MarketBound | undefined,
  now: (mark: string) => string,
): string {
  if (!bound) return ' at the market price, whatever it is'
  const side = body.get('side') === 'BUY' ? 'above' : 'below'
  const percent = rounded(bound.priceRange * 100n)
  return ` at the market price, filled at most ${percent} % ${side} the mark price of that moment${now(rounded(bound.mark))}`
}

const SHOWN_STEP = 10n ** 12n

function rounded(value: bigint): string {
  return formatDecimal(mulDiv(value, 1n, SHOWN_STEP, 'half') * SHOWN_STEP, SCALE)
}

const ALGO_NAMED = ['algo_type', 'symbol', 'side', 'quantity', 'type', 'trigger_price']

/** Describes a conditional order and its legs; each line begins with the leg's depth. */
function algoOrder(
  body: StrictObject,
  bound: MarketBound | undefined,
  mark = '',
): readonly string[] {
  const [kind, , side, quantity, type, trigger] = ALGO_NAMED.map((name) => body.get(name))
  const parts = [
    `${mark}${quotedValue(kind)} order${body.has('symbol') ? ` in ${marketText(body)}` : ''}`,
    ...(side === undefined ? [] : [sideText(body).toLowerCase()]),
    ...(quantity === undefined ? [] : [quotedValue(quantity)]),
    ...(type === undefined
      ? []
      : [`as ${quotedValue(type)} order${conditionalPriceText(body, bound)}`]),
    ...(trigger === undefined ? [] : [`when the price reaches ${quotedValue(trigger)} USDC`]),
  ]
  const named = [...ALGO_NAMED, 'child_orders', ...(type === 'LIMIT' ? ['price'] : [])]
  const legs = objectsIn(body.get('child_orders'))
  return [
    parts.join(', ') + restText(body, named),
    ...legs.flatMap((leg) => algoOrder(leg, bound, `${mark}> `)),
  ]
}

/** The price of a conditional order. Only a LIMIT order executes at its price; other types ignore their price. */
function conditionalPriceText(body: StrictObject, bound: MarketBound | undefined): string {
  if (body.get('type') === 'LIMIT') return atPrice(body.get('price'))
  return atMarket(body, bound, () => '')
}

const SIDES: ReadonlyMap<unknown, string> = new Map([
  ['BUY', 'Buy'],
  ['SELL', 'Sell'],
])

function sideText(body: StrictObject): string {
  const side = body.get('side')
  return SIDES.get(side) ?? `Side ${quotedValue(side)}:`
}

function bodySymbol(body: StrictObject): string {
  const symbol = body.get('symbol')
  return typeof symbol === 'string' ? symbol : ''
}

function marketText(body: StrictObject): string {
  return body.has('symbol') ? quotedValue(body.get('symbol')) : 'all markets'
}

/** The remaining members of the body, in brackets. */
function restText(body: StrictObject, named: readonly string[]): string {
  const rest = [...body].filter(([name]) => !named.includes(name))
  if (rest.length === 0) return ''
  return ` (${rest.map(([name, value]) => `${name} ${quotedValue(value)}`).join('; ')})`
}

const PLAIN = /^[\w.:+-]{1,64}$/

/** A value, written so that it cannot be mistaken for this service's own words. */
function quotedValue(value: StrictValue | undefined): string {
  if (value === undefined) return 'nothing'
  if (value instanceof Decimal) return value.text
  if (typeof value === 'string') return PLAIN.test(value) ? value : JSON.stringify(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value instanceof Map) return `{${restText(value, []).trim()}}`
  return `[${listed(value)}]`
}

function listed(value: StrictValue): string {
  return Array.isArray(value) ? value.map(quotedValue).join(', ') : ''
}
