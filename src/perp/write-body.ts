import { amountText } from './amounts.ts'
import type { Side } from './positions.ts'

/** Members of a JSON body. A bigint is an amount with eighteen decimals; a null or undefined member is left out. */
export type BodyFields = { readonly [name: string]: BodyValue }

type BodyValue = string | boolean | bigint | null | undefined | readonly BodyFields[]

/** The JSON text of a body, which is signed and sent unchanged. Decimals are exact and have no exponent. */
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

/** The trigger price of a take-profit or stop-loss order. */
export type LegTrigger = { readonly algoType: 'TAKE_PROFIT' | 'STOP_LOSS'; readonly price: bigint }

/** The closing legs of an order's body. A CLOSE_POSITION leg closes the whole position, a MARKET leg the order's quantity. */
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
