import { isObject } from '../../../core/json.ts'
import {
  choiceField,
  decimalField,
  type Fields,
  flagField,
  requiredChoice,
  requiredText,
  textField,
} from '../../messages/body.ts'
import { EXCHANGE_LIMITS } from '../../messages/limits.ts'
import { refusal } from '../../messages/refusals.ts'
import { type AlgoRequest, type AlgoType, PLAIN_ALGO } from '../../state/algo-terms.ts'
import { type ExchangeState, marketBySymbol } from '../../state/exchange.ts'
import { BUY, type EngineMarket, SELL } from '../../state/state.ts'
import { clientOrderIdField, isolatedField, SIDES, toPriceTicks, toQuantitySteps } from './order.ts'

/** The algo order in a request body, with the number of its market. */
type ParsedAlgo = AlgoRequest & { readonly market: number }

const ROOTS = ['STOP', 'TP_SL', 'POSITIONAL_TP_SL', 'BRACKET', 'TRAILING_STOP'] as const
const GROUPS = ['TP_SL', 'POSITIONAL_TP_SL'] as const
const LEGS = ['TAKE_PROFIT', 'STOP_LOSS'] as const

/**
 * Parses the body of POST /v1/algo/order. Throws
 * - -1004 for an unknown field,
 * - -1005 if a field is missing or malformed, or if the legs do not fit together,
 * - -1103 or -1104 for a price or size that is off the grid.
 */
export function parseAlgo(fields: Fields, exchange: Pick<ExchangeState, 'bySymbol'>): ParsedAlgo {
  unknownFields(fields)
  const market = marketBySymbol(exchange, requiredText(fields, 'symbol'))
  const algoType = requiredChoice(fields, 'algo_type', ROOTS)
  const common = { ...parseCommon(fields), isolated: isolatedField(fields) }
  return { ...common, ...READERS[algoType](fields, market), algoType, market: market.number }
}

type Read = Pick<AlgoRequest, 'side'> & Partial<AlgoRequest>

const READERS: Readonly<
  Record<(typeof ROOTS)[number], (fields: Fields, market: EngineMarket) => Read>
> = {
  STOP: (fields, market) => ({
    ...parseTriggeredOrder(fields, market),
    ...plainLegs(fields),
    quantity: quantityField(fields, market),
    trigger: triggerField(fields, market),
    reduceOnly: flagField(fields, 'reduce_only'),
  }),
  TRAILING_STOP: (fields, market) => ({
    ...parseTriggeredOrder(fields, market, ['MARKET']),
    ...plainLegs(fields),
    ...callbackFields(fields, market),
    quantity: quantityField(fields, market),
    reduceOnly: flagField(fields, 'reduce_only'),
  }),
  TP_SL: (fields, market) => {
    const quantity = quantityField(fields, market)
    return { ...parseGroup(fields, market, 'TP_SL', quantity), quantity }
  },
  POSITIONAL_TP_SL: (fields, market) => parseGroup(fields, market, 'POSITIONAL_TP_SL', 0),
  BRACKET: (fields, market) => {
    const own = parseTriggeredOrder(fields, market)
    const quantity = quantityField(fields, market)
    const [leg, ...others] = parseChildren(fields)
    if (!leg || others.length > 0)
      throw refusal('parameter', 'A BRACKET has one child order, TP_SL or POSITIONAL_TP_SL')
    const algoType = choiceField(leg, 'algo_type', GROUPS)
    if (!algoType) throw refusal('parameter', 'child_orders.algo_type is required')
    sameSymbol(leg, market)
    const isWhole = algoType === 'POSITIONAL_TP_SL'
    const group = parseGroup(leg, market, algoType, isWhole ? 0 : quantity)
    if (group.side === own.side) throw refusal('parameter', 'The legs must be on the other side')
    const child = { ...parseCommon(leg), ...group, algoType, quantity: isWhole ? 0 : quantity }
    return { ...own, quantity, reduceOnly: flagField(fields, 'reduce_only'), children: [child] }
  },
}

function parseCommon(fields: Fields) {
  triggerTypeField(fields)
  return {
    ...PLAIN_ALGO,
    clientOrderId: clientOrderIdField(fields),
    orderTag: textField(fields, 'order_tag', EXCHANGE_LIMITS.orderTagMaxChars) ?? null,
  }
}

/** A group of one or two closing legs: take profit, stop loss or both, on one side. */
function parseGroup(
  fields: Fields,
  market: EngineMarket,
  group: (typeof GROUPS)[number],
  quantity: number,
) {
  const children = parseChildren(fields).map((leg) => parseLeg(leg, market, group, quantity))
  const [first] = children
  const types = new Set(children.map(({ algoType }) => algoType))
  if (!first || types.size !== children.length)
    throw refusal('parameter', `${group} needs a TAKE_PROFIT, a STOP_LOSS or both`)
  if (children.some(({ side }) => side !== first.side))
    throw refusal('parameter', 'The legs must be on one side')
  return { side: first.side, type: first.type, reduceOnly: true, children }
}

function parseLeg(
  fields: Fields,
  market: EngineMarket,
  group: (typeof GROUPS)[number],
  quantity: number,
): AlgoRequest {
  const algoType: AlgoType | undefined = choiceField(fields, 'algo_type', LEGS)
  if (!algoType) throw refusal('parameter', 'child_orders.algo_type is required')
  sameSymbol(fields, market)
  if ((fields['reduce_only'] ?? true) !== true)
    throw refusal('parameter', 'A child order is reduce_only')
  const types = group === 'TP_SL' ? (['LIMIT', 'MARKET'] as const) : (['CLOSE_POSITION'] as const)
  const own = {
    ...parseCommon(fields),
    ...parseTriggeredOrder(fields, market, types),
    trigger: triggerField(fields, market),
  }
  return { ...own, algoType, quantity, reduceOnly: true }
}

/** Side, type and price of the order that is sent when the trigger is reached. */
function parseTriggeredOrder(
  fields: Fields,
  market: EngineMarket,
  types: readonly AlgoRequest['type'][] = ['LIMIT', 'MARKET'],
): Pick<AlgoRequest, 'side' | 'type' | 'price'> {
  const side = requiredChoice(fields, 'side', SIDES)
  const type = requiredChoice(fields, 'type', types)
  return {
    side: side === 'BUY' ? BUY : SELL,
    type,
    price: type === 'LIMIT' ? priceField(fields, 'price', market) : 0,
  }
}

function priceField(fields: Fields, name: string, market: EngineMarket): number {
  const price = decimalField(fields, name, 'price')
  if (price === undefined || price <= 0n)
    throw refusal('parameter', `${name} must be a positive number`)
  return toPriceTicks(price, market)
}

function triggerField(fields: Fields, market: EngineMarket): number {
  return priceField(fields, 'trigger_price', market)
}

function quantityField(fields: Fields, market: EngineMarket): number {
  const quantity = decimalField(fields, 'quantity', 'size')
  if (quantity === undefined || quantity <= 0n)
    throw refusal('parameter', 'quantity must be a positive number')
  return toQuantitySteps(quantity, market, 'quantity')
}

function plainLegs(fields: Fields): { readonly children: readonly [] } {
  if (parseChildren(fields).length > 0)
    throw refusal('parameter', 'child_orders is not allowed here')
  return { children: [] }
}

function sameSymbol(fields: Fields, market: EngineMarket): void {
  if ((textField(fields, 'symbol') ?? market.spec.symbol) !== market.spec.symbol)
    throw refusal('parameter', 'A child order has the symbol of its parent')
}

/** Fields that every algo order and every leg may have. */
const FIELDS: ReadonlySet<string> = new Set([
  'symbol',
  'algo_type',
  'client_order_id',
  'type',
  'price',
  'quantity',
  'trigger_price_type',
  'trigger_price',
  'reduce_only',
  'visible_quantity',
  'side',
  'order_tag',
  'child_orders',
  'activatedPrice',
  'callbackRate',
  'callbackValue',
  'margin_mode',
])

const CHILDREN_MAX = 2
const RATE_MAX = 100_000_000n

/** Throws -1004 if there is a field that algo orders do not have. */
function unknownFields(fields: Fields): void {
  if (Object.keys(fields).some((name) => !FIELDS.has(name))) throw refusal('unknownParameter')
}

/**
 * The bodies of an algo order's legs; empty without legs. Throws -1005 for a malformed list, -1004 for an unknown field
 * in a leg.
 */
function parseChildren(fields: Fields): readonly Fields[] {
  const children = fields['child_orders'] ?? []
  if (!Array.isArray(children) || children.length > CHILDREN_MAX || !children.every(isObject))
    throw refusal('parameter', `child_orders must be a list of at most ${CHILDREN_MAX} orders`)
  for (const child of children) unknownFields(child)
  return children
}

/** Throws -1005 unless the trigger is the mark price, the only supported trigger price. */
export function triggerTypeField(fields: Fields): void {
  choiceField(fields, 'trigger_price_type', ['MARK_PRICE'] as const)
}

/**
 * The activation price and the callback of a trailing stop. The callback is a rate or a distance. Throws -1005 if a
 * value is out of bounds, or unless exactly one callback is given.
 */
function callbackFields(fields: Fields, market: EngineMarket) {
  const rate = decimalField(fields, 'callbackRate')
  const value = decimalField(fields, 'callbackValue', 'price')
  if ((rate === undefined) === (value === undefined))
    throw refusal('parameter', 'Either callbackRate or callbackValue is required')
  if (rate !== undefined && (rate <= 0n || rate >= RATE_MAX))
    throw refusal('parameter', 'callbackRate must be between 0 and 1')
  const activation = decimalField(fields, 'activatedPrice', 'price')
  return {
    callbackRate: Number(rate ?? 0n),
    callbackTicks: value === undefined ? 0 : positiveTicks(value, 'callbackValue', market),
    activation: activation === undefined ? 0 : positiveTicks(activation, 'activatedPrice', market),
  }
}

function positiveTicks(value: bigint, name: string, market: EngineMarket): number {
  if (value <= 0n) throw refusal('parameter', `${name} must be a positive number`)
  return toPriceTicks(value, market)
}
