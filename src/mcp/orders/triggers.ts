import { amountNumber, onStep, toAmount } from '../../perp/amounts.ts'
import { bodyText } from '../account-call.ts'
import { invalidArgument, refusal } from '../refusal.ts'
import type { Market } from '../views/market.ts'

/** A take-profit or stop-loss: an order that closes when the mark price reaches its trigger. */
export type Leg = {
  readonly parameter: string
  readonly algoType: 'TAKE_PROFIT' | 'STOP_LOSS'
  readonly price: bigint
  /** Whether the trigger belongs above the reference price. */
  readonly isAbove: boolean
}

/** The names of a tool's arguments for both triggers. */
export type LegNames = { readonly TAKE_PROFIT: string; readonly STOP_LOSS: string }

type Given = Readonly<Record<string, unknown>>

/** The triggers among a tool's arguments, for a long or a short position. */
export function legsOf(given: Given, names: LegNames, isLong: boolean): readonly Leg[] {
  return (['TAKE_PROFIT', 'STOP_LOSS'] as const).flatMap((algoType) => {
    const parameter = names[algoType]
    const price = toAmount(given[parameter])
    const isAbove = (algoType === 'TAKE_PROFIT') === isLong
    return price === null ? [] : [{ parameter, algoType, price, isAbove }]
  })
}

/** The price that triggers are compared with; null where it is unknown. */
type Reference = { readonly name: 'mark_price' | 'entry_price'; readonly price: bigint | null }

/**
 * Throws invalid_request for a trigger on the wrong side of a price, which would close at once, and price_out_of_range
 * for one off the market's tick. Suggests the arguments with both swapped, or on the tick.
 */
export function assertTriggers(
  { quoteTick }: Market,
  given: Given,
  legs: readonly Leg[],
  reference: Reference,
): void {
  if (reference.price !== null) assertSides(given, legs, reference.name, reference.price)
  const off = legs.filter(({ price }) => onStep(price, quoteTick, 'floor') !== price)
  if (off.length === 0) return
  const corrections = off.map(({ parameter, price }) => {
    return [parameter, amountNumber(onStep(price, quoteTick, 'floor'))]
  })
  throw refusal('price_out_of_range', {
    parameter: off[0]?.parameter,
    reason: 'not_a_multiple',
    rule: 'quote_tick',
    step: amountNumber(quoteTick),
    suggested: { ...given, ...Object.fromEntries(corrections) },
    next: 'Nothing was sent. Call this tool again with the suggestion.',
  })
}

function assertSides(
  given: Given,
  legs: readonly Leg[],
  name: Reference['name'],
  at: bigint,
): void {
  const wrong = legs.find(({ price, isAbove }) => (isAbove ? price <= at : price >= at))
  if (!wrong) return
  const [first, second] = legs
  const isSwapped = legs.every(({ price, isAbove }) => (isAbove ? price < at : price > at))
  const swapped = first &&
    second && {
      [first.parameter]: given[second.parameter],
      [second.parameter]: given[first.parameter],
    }
  throw invalidArgument(wrong.parameter, 'out_of_range', {
    expected: `A price ${wrong.isAbove ? 'above' : 'below'} the ${name.replace('_', ' ')}.`,
    [name]: amountNumber(at),
    ...(isSwapped && swapped && { suggested: { ...given, ...swapped } }),
  })
}

/** The closing legs of an algo order's body. CLOSE_POSITION closes the position, MARKET the quantity of the order. */
export function legBodies(
  symbol: string,
  side: string,
  type: 'CLOSE_POSITION' | 'MARKET',
  legs: readonly Leg[],
): readonly string[] {
  return legs.map(({ algoType, price }) =>
    bodyText({
      symbol,
      algo_type: algoType,
      side,
      type,
      trigger_price: price,
      trigger_price_type: 'MARK_PRICE',
      reduce_only: true,
    }),
  )
}

/** A body with the bodies of its children. */
export function withChildren(body: string, children: readonly string[]): string {
  return `${body.slice(0, -1)},"child_orders":[${children.join(',')}]}`
}
