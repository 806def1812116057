import { amountText } from './amounts.ts'
import type { Side } from './positions.ts'

/** Members of a body: a bigint is a decimal of eighteen places; null and undefined leave a member out. */
export type BodyFields = { readonly [name: string]: BodyValue }

type BodyValue = string | boolean | bigint | null | undefined | readonly BodyFields[]

/** The JSON text of a body, which is signed and sent unchanged. Decimals are exact and plain, without exponent. */
export function bodyText(fields: BodyFields): string {
  const members = Object.entries(fields).flatMap(([name, value]) =>
    value == null ? [] : [`${JSON.stringify(name)}:${valueText(value)}`],
  )
  return `{${members.join(',')}}`
}

function valueText(value: NonNullable<BodyValue>): string {
  if (typeof value === 'bigint') return amountText(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  return `[${value.map(bodyText).join(',')}]`
}

/** The trigger price of an order that closes a position with a profit or a loss. */
export type LegTrigger = { readonly algoType: 'TAKE_PROFIT' | 'STOP_LOSS'; readonly price: bigint }

/** The closing legs of an order's body. CLOSE_POSITION closes the position, MARKET the quantity of the order. */
export function legBodies(
  symbol: string,
  side: Side,
  type: 'CLOSE_POSITION' | 'MARKET',
  legs: readonly LegTrigger[],
): readonly BodyFields[] {
  return legs.map(({ algoType, price }) => ({
    ...{ symbol, algo_type: algoType, side, type, trigger_price: price },
    ...{ trigger_price_type: 'MARK_PRICE', reduce_only: true },
  }))
}
