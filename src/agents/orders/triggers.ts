import { amountNumber, roundedToStep, toAmount } from '../../perp/amounts.ts'
import type { LegTrigger } from '../../perp/write-body.ts'
import { invalidArgument, toolRefusal } from '../refusal.ts'
import type { MarketView } from '../views/market.ts'

/** A take-profit or stop-loss leg, which closes when the mark price reaches its trigger. */
export type Leg = LegTrigger & {
  readonly parameter: string
  /** Whether the trigger must be above the reference price. */
  readonly isAbove: boolean
}

/** The tool's argument names for the two triggers. */
export type LegNames = { readonly TAKE_PROFIT: string; readonly STOP_LOSS: string }

type Given = Readonly<Record<string, unknown>>

/** The triggers in a tool's arguments, for a long or a short position. */
export function triggerLegs(given: Given, names: LegNames, isLong: boolean): readonly Leg[] {
  return (['TAKE_PROFIT', 'STOP_LOSS'] as const).flatMap((algoType) => {
    const parameter = names[algoType]
    const price = toAmount(given[parameter])
    const isAbove = (algoType === 'TAKE_PROFIT') === isLong
    return price === null ? [] : [{ parameter, algoType, price, isAbove }]
  })
}

/** The price that triggers are compared with; null if unknown. */
type Reference = { readonly name: 'mark_price' | 'entry_price'; readonly price: bigint | null }

/**
 * Throws invalid_request for a trigger on the wrong side of the reference price, because it would close at once. Throws
 * price_out_of_range for a trigger off the market's tick, and suggests arguments on the tick if they stay on the right
 * side.
 */
export function assertTriggers(
  { quoteTick }: MarketView,
  given: Given,
  legs: readonly Leg[],
  reference: Reference,
): void {
  assertSides(legs, reference)
  const off = legs.filter(({ price }) => roundedToStep(price, quoteTick, 'floor') !== price)
  if (off.length === 0) return
  const nearer = off.map((leg) => ({ ...leg, price: nearerTick(leg, quoteTick) }))
  const isSuggested =
    off.every(({ price }) => price > quoteTick) &&
    !nearer.some((leg) => isWrongSide(leg, reference))
  const corrections = nearer.map(({ parameter, price }) => [parameter, amountNumber(price)])
  throw toolRefusal('price_out_of_range', {
    parameter: off[0]?.parameter,
    reason: 'not_a_multiple',
    rule: 'quote_tick',
    step: amountNumber(quoteTick),
    ...(isSuggested && { suggested: { ...given, ...Object.fromEntries(corrections) } }),
    next: isSuggested ? SUGGESTION_STEP : OFF_TICK_STEP,
  })
}

const SUGGESTION_STEP = 'Nothing was sent. Call this tool again with the suggestion.'
const OFF_TICK_STEP =
  'Nothing was sent. A trigger is a multiple of step: ask the user which one is meant.'

/** Rounds a trigger to the tick that the market reaches first, so that the leg closes no later than requested. */
function nearerTick({ price, isAbove }: Leg, tick: bigint): bigint {
  return roundedToStep(price, tick, isAbove ? 'floor' : 'ceil')
}

function isWrongSide({ price, isAbove }: Leg, { price: at }: Reference): boolean {
  if (at === null) return false
  return isAbove ? price <= at : price >= at
}

function assertSides(legs: readonly Leg[], reference: Reference): void {
  const wrong = legs.find((leg) => isWrongSide(leg, reference))
  if (!wrong || reference.price === null) return
  const isExchanged = legs.length > 1 && legs.every((leg) => isWrongSide(leg, reference))
  throw invalidArgument(wrong.parameter, 'out_of_range', {
    expected: `A price ${wrong.isAbove ? 'above' : 'below'} the ${reference.name.replace('_', ' ')}.`,
    [reference.name]: amountNumber(reference.price),
    ...(isExchanged && { next: TRIGGERS_EXCHANGED_STEP }),
  })
}

// Exchanging the triggers or changing the side would both be valid, so no correction is suggested.
const TRIGGERS_EXCHANGED_STEP =
  'Nothing was sent. Both triggers are on the other side of the price: ask the user whether they are exchanged, or the side of the order is.'
