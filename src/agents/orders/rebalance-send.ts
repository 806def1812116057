import { absolute, ONE } from '../../core/decimals.ts'
import type { Row } from '../../core/json.ts'
import { amountNumber, product, toAmount } from '../../perp/amounts.ts'
import { heldQuantity } from '../../perp/positions.ts'
import { invalidArgument, toToolFailure } from '../refusal.ts'
import type { SignedContext } from '../tool.ts'
import { openPositions } from '../views/account.ts'
import { exactMarket } from '../views/market.ts'
import type { OrderArguments } from './arguments.ts'
import { fillReport } from './fill-report.ts'
import { assertSendable, sendingOrder, sendPrepared } from './place.ts'
import { prepareOrder } from './prepare.ts'
import {
  type Plan,
  type PlannedMarket,
  type PlannedWrite,
  PRICE_MOVE_MAX,
  plannedMarketOrder,
} from './rebalance-plan.ts'
import { readEarlierResult } from './send-once.ts'

/** An order of a plan with its outcome. */
type Outcome = Row &
  PlannedWrite & {
    readonly outcome: 'filled' | 'not_filled' | 'failed' | 'not_sent'
    readonly filled_quantity?: number
  }

/** An order of a plan. Each time the plan is sent, the order has the same client_order_id. */
type Step = { readonly write: PlannedWrite; readonly order: OrderArguments }

/**
 * Sends the orders of a plan one after the other. Stops after an order that fails or fills only partly. Orders already
 * sent for this plan are not sent again; the answer has their outcomes. Throws invalid_request before sending if the
 * plan has expired, or if a price or position of the remaining orders has changed.
 */
export async function sendPlan(context: SignedContext, plan: Plan): Promise<readonly Outcome[]> {
  const steps = planSteps(plan)
  const outcomes = await outcomesBefore(context, steps)
  const rest = steps.slice(outcomes.length)
  if (rest.length > 0 && areFilled(outcomes)) await assertFresh(context, plan, outcomes)
  for (const { write, order } of rest) {
    const outcome = areFilled(outcomes)
      ? await runStep(context, write, () => send(context, order))
      : { ...write, outcome: 'not_sent' as const }
    outcomes.push(outcome)
  }
  return outcomes
}

function planSteps({ id, writes }: Plan): readonly Step[] {
  const digits = id.slice(id.indexOf(':') + 1, ID_CHARS)
  return writes.map((write, at) => {
    return {
      write,
      order: { ...plannedMarketOrder(write), client_order_id: `plan-${digits}-${at}` },
    }
  })
}

/** Characters taken from the plan's id, because a client_order_id has at most 36 characters. */
const ID_CHARS = 30

function areFilled(outcomes: readonly Outcome[]): boolean {
  return outcomes.every(({ outcome }) => outcome === 'filled')
}

/** Looks up the outcomes of orders already sent for this plan; the last outcome may be unknown. */
async function outcomesBefore(context: SignedContext, steps: readonly Step[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const { write, order } of steps) {
    const outcome = await runStep(context, write, () =>
      readEarlierResult(context, sendingOrder(context, order)),
    )
    if (outcome.outcome === 'not_sent') break
    outcomes.push(outcome)
  }
  return outcomes
}

/** Sends an order like the tool place_order. */
async function send(context: SignedContext, order: OrderArguments): Promise<Row> {
  const prepared = await prepareOrder(context, await exactMarket(context, order.symbol), order)
  assertSendable(prepared)
  return sendPrepared(context, prepared, sendingOrder(context, order))
}

/** Runs one step and returns its order with the fill or failure. `run` returns null for an order that was not sent. */
async function runStep(
  context: SignedContext,
  write: PlannedWrite,
  run: () => Promise<Row | null>,
): Promise<Outcome> {
  try {
    const result = await run()
    if (result === null) return { ...write, outcome: 'not_sent' }
    const { next, ...fill } = {
      filled_quantity: 0,
      ...(await fillReport(context, result['order_id'], 'MARKET')),
    }
    const outcome = fill.filled_quantity >= write.order_quantity ? 'filled' : 'not_filled'
    const { order_id, client_order_id } = result
    return {
      ...write,
      outcome,
      order_id,
      client_order_id,
      ...fill,
      ...(outcome === 'filled' ? {} : { next }),
    }
  } catch (error) {
    const { code, message, meta } = toToolFailure(error, context.hints)
    return { ...write, outcome: 'failed', code, error: message, meta }
  }
}

/** Throws invalid_request if the plan has expired, or if a remaining order's market differs from the plan. */
async function assertFresh(
  context: SignedContext,
  { expires_at, markets, writes }: Plan,
  outcomes: readonly Outcome[],
): Promise<void> {
  if (context.venueClock.nowMs() > expires_at) {
    throw invalidArgument('plan', 'spent', { expires_at, next: NEW_PLAN_STEP })
  }
  const open = await openPositions(context)
  const rest = new Set(writes.slice(outcomes.length).map(({ symbol }) => symbol))
  const changes = await Promise.all(
    markets
      .filter(({ symbol }) => rest.has(symbol))
      .map(async (planned) => {
        const { mark } = await exactMarket(context, planned.symbol)
        return marketChanges(planned, { mark, held: heldQuantity(open, planned.symbol), outcomes })
      }),
  )
  const changed = changes.flat()
  if (changed.length > 0)
    throw invalidArgument('plan', 'conflicting', { changed, next: NEW_PLAN_STEP })
}

const NEW_PLAN_STEP =
  'No order of this call was sent. Call rebalance with targets for a new plan and show it to the user.'

type Now = {
  readonly mark: bigint | null
  readonly held: bigint
  readonly outcomes: readonly Outcome[]
}

/** The differences between a market and the plan, apart from the fills of the plan's own orders. */
function marketChanges(
  { symbol, position_qty, mark_price }: PlannedMarket,
  { mark, held, outcomes }: Now,
) {
  const own = outcomes.filter((outcome) => outcome.symbol === symbol)
  const expected = own.reduce((sum, { side, filled_quantity }) => {
    const filled = toAmount(filled_quantity) ?? 0n
    return side === 'BUY' ? sum + filled : sum - filled
  }, toAmount(position_qty) ?? 0n)
  const planned = toAmount(mark_price) ?? 0n
  const hasMoved = mark === null || absolute(mark - planned) > product(planned, MOVE_MAX)
  return [
    ...(held === expected
      ? []
      : [{ symbol, what: 'position_qty', was: amountNumber(expected), now: amountNumber(held) }]),
    ...(hasMoved
      ? [
          {
            symbol,
            what: 'mark_price',
            was: mark_price,
            now: mark === null ? null : amountNumber(mark),
          },
        ]
      : []),
  ]
}

const MOVE_MAX = toAmount(PRICE_MOVE_MAX) ?? ONE
