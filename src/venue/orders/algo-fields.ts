import { isObject } from '../../core/json.ts'
import type { Market } from '../engine/state.ts'
import { choiceField, decimalField, type Fields } from '../wire/body.ts'
import { refusal } from '../wire/refusals.ts'
import { ticksOf } from './grid.ts'

/** What every algo order, and every leg of one, may say. */
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

/** Throws -1004 for a field that no algo order has. */
export function unknownFields(fields: Fields): void {
  if (Object.keys(fields).some((name) => !FIELDS.has(name))) throw refusal('unknownParameter')
}

/** The legs of an algo order; none when it says nothing of them. Throws -1004 and -1005. */
export function childrenOf(fields: Fields): readonly Fields[] {
  const children = fields['child_orders'] ?? []
  if (!Array.isArray(children) || children.length > CHILDREN_MAX || !children.every(isObject))
    throw refusal('parameter', `child_orders must be a list of at most ${CHILDREN_MAX} orders`)
  for (const child of children) unknownFields(child)
  return children
}

/** The mark is the only price that triggers. Throws -1005. */
export function triggerTypeField(fields: Fields): void {
  choiceField(fields, 'trigger_price_type', ['MARK_PRICE'] as const)
}

/** Where a trailing stop begins, and how far it stays behind: as a rate, or as a distance. Throws -1005. */
export function callbackFields(fields: Fields, market: Market) {
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

function positiveTicks(value: bigint, name: string, market: Market): number {
  if (value <= 0n) throw refusal('parameter', `${name} must be a positive number`)
  return ticksOf(value, market)
}
