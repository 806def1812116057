import type { Static } from '@sinclair/typebox'
import { accountRead, bodyText } from '../account-call.ts'
import { writeTool } from '../agent-tool.ts'
import { amountNumber, amountOf, onStep } from '../amounts.ts'
import { NO_SPENDING } from '../limits.ts'
import { marketWrite } from '../orders/market-write.ts'
import { invalidArgument, refusal } from '../refusal.ts'
import type { SignedContext } from '../tool.ts'
import { args, decimal, optional, symbolArgument } from '../tool-arguments.ts'
import { heldQuantity } from '../views/account.ts'
import { exactMarket, type Market } from '../views/market.ts'

/** Where the venue has no stops at all, saying so beats a guess at the symbol. */
export const NO_ALGO_ORDERS = {
  not_found: 'This venue has no algo orders. Tell the user that the position has no stop.',
} as const

const PROTECTION_ARGUMENTS = args({
  symbol: symbolArgument,
  take_profit_price: optional(decimal('Trigger in USDC.', { exclusiveMinimum: 0 })),
  stop_loss_price: optional(decimal('Trigger in USDC.', { exclusiveMinimum: 0 })),
})

const ONE_EACH_TEXT =
  'A position has one TP/SL of this kind: list_algo_orders, cancel_algo_order, then set it anew.'
const ONE_EACH = { venue_rejected: ONE_EACH_TEXT, duplicate_request: ONE_EACH_TEXT } as const

type Protection = Static<typeof PROTECTION_ARGUMENTS>

export const protectPosition = writeTool({
  name: 'set_position_tp_sl',
  title: 'Set take-profit and stop-loss',
  description:
    'Attach a take-profit, a stop-loss or both to an open position: when the mark price gets there the whole position closes at market.',
  arguments: PROTECTION_ARGUMENTS,
  idempotent: false,
  hints: {
    ...NO_ALGO_ORDERS,
    ...ONE_EACH,
  },
  run: async (context, given) => {
    const { symbol } = given
    const market = await exactMarket(context, symbol)
    const held = await heldOrUnable(context, symbol)
    const legs = legsOf(given, held)
    assertDirection(market, given, legs)
    assertOnTick(market, given, legs)
    const side = held > 0n ? 'SELL' : 'BUY'
    const result = await marketWrite(context, {
      tool: 'set_position_tp_sl',
      symbol,
      side,
      spending: NO_SPENDING,
      write: {
        method: 'POST',
        path: '/v1/algo/order',
        body: bodyOf(symbol, side, legs),
        lookUp: { tool: 'list_algo_orders', arguments: { symbol } },
      },
    })
    return { ...given, ...result, next: 'list_algo_orders shows it waiting.' }
  },
})

/** The size held. Without a position, a venue that has no such orders says that first: opening one would not help. */
async function heldOrUnable(context: SignedContext, symbol: string): Promise<bigint> {
  try {
    return await heldQuantity(context, symbol)
  } catch (error) {
    await accountRead(context, '/v1/algo/orders', { symbol, page: 1, size: 1 })
    throw error
  }
}

const LEGS = [
  { parameter: 'take_profit_price', algoType: 'TAKE_PROFIT', isProfit: true },
  { parameter: 'stop_loss_price', algoType: 'STOP_LOSS', isProfit: false },
] as const

type Leg = Pick<(typeof LEGS)[number], 'parameter' | 'algoType'> & {
  readonly price: bigint
  /** Whether the trigger belongs above the mark. */
  readonly isAbove: boolean
}

/** The triggers that were given. Throws invalid_request when there is none. */
function legsOf(given: Protection, held: bigint): readonly Leg[] {
  const isLong = held > 0n
  const legs = LEGS.flatMap(({ parameter, algoType, isProfit }) => {
    const price = amountOf(given[parameter])
    return price === null ? [] : [{ parameter, algoType, price, isAbove: isProfit === isLong }]
  })
  if (legs.length > 0) return legs
  throw invalidArgument('stop_loss_price', 'missing', {
    next: 'Give take_profit_price, stop_loss_price or both.',
  })
}

/** A trigger on the wrong side of the mark would close the position at once. */
function assertDirection({ mark }: Market, given: Protection, legs: readonly Leg[]): void {
  if (mark === null) return
  const wrong = legs.find(({ price, isAbove }) => (isAbove ? price <= mark : price >= mark))
  if (!wrong) return
  const { take_profit_price, stop_loss_price, symbol } = given
  const swapped = { symbol, take_profit_price: stop_loss_price, stop_loss_price: take_profit_price }
  const isSwapped =
    legs.length === 2 && legs.every(({ price, isAbove }) => (isAbove ? price < mark : price > mark))
  throw invalidArgument(wrong.parameter, 'out_of_range', {
    expected: `A price ${wrong.isAbove ? 'above' : 'below'} the mark price.`,
    mark_price: amountNumber(mark),
    ...(isSwapped && { suggested: swapped }),
  })
}

function assertOnTick({ quoteTick }: Market, given: Protection, legs: readonly Leg[]): void {
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
    next: 'Nothing was sent. Send the suggestion.',
  })
}

/** One order in two layers: the position's, and a closing leg for each trigger. */
function bodyOf(symbol: string, side: string, legs: readonly Leg[]): string {
  const children = legs.map(({ algoType, price }) =>
    bodyText({
      symbol,
      algo_type: algoType,
      side,
      type: 'CLOSE_POSITION',
      trigger_price: price,
      trigger_price_type: 'MARK_PRICE',
      reduce_only: true,
    }),
  )
  const root = bodyText({ symbol, algo_type: 'POSITIONAL_TP_SL', trigger_price_type: 'MARK_PRICE' })
  return `${root.slice(0, -1)},"child_orders":[${children.join(',')}]}`
}
