import type { MarketRules } from '../../../perp/market-rules.ts'
import { checkOrder } from '../../../perp/order-check.ts'
import { preTradeCheck } from '../../../perp/pre-trade-check.ts'
import { filledTemplate, fixedText, tickPlaces } from '../../common/format.ts'
import { TICKET_TEXTS } from '../messages/ticket.ts'
import { brokenRule, checkTrigger, type Draft, type FieldProblem, toProblems } from './check.ts'
import { type Fate, inMode, marketNow, NO_BOOK, type TicketVerdict } from './judge.ts'
import type { TicketAccount } from './ticket-account.ts'

/** A stop or a trailing stop before it is sent; `trigger` is null for a trailing stop. */
export type WaitingDraft = Pick<Draft, 'side' | 'price' | 'quantity' | 'reduceOnly'> & {
  readonly trigger: bigint | null
  readonly mark: bigint
}

/**
 * Checks a waiting order: the rules it breaks, and its fate if nothing changes until its trigger. The venue checks
 * margin, position and distance from the mark price only at the trigger.
 */
export function waitingOrderVerdict(
  rules: MarketRules,
  draft: WaitingDraft,
  account: TicketAccount | null,
): TicketVerdict {
  const { side, price, trigger, quantity, reduceOnly, mark } = draft
  const off = trigger === null ? null : checkTrigger(rules, side, trigger)
  const order = { side, price, quantity, reference: trigger ?? mark, reduceOnly }
  // Ignores the present position, because the position that the order will close is not known yet.
  const checked = { ...order, closable: null }
  const problems = toProblems(checkOrder({ ...rules, mark: null }, checked).broken)
  return {
    problems: off ? [off, ...problems] : problems,
    excess: null,
    fate: fateAtTrigger(rules, draft, account),
    match: null,
  }
}

const MARK_DISTANCE_RULES: ReadonlySet<string> = new Set(['price_range', 'price_scope'])

/**
 * The reason why the venue would end the order at its trigger, by the account's present state; null without such a
 * reason.
 */
function fateAtTrigger(
  rules: MarketRules,
  { side, price, trigger, quantity, reduceOnly, mark }: WaitingDraft,
  account: TicketAccount | null,
): Fate | null {
  const at = trigger ?? mark
  const sent = { side, type: 'LIMIT', quantity, reduceOnly, slippage: null } as const
  const order = inMode({ ...sent, price: price ?? at }, account)
  const market = marketNow(rules, at, NO_BOOK)
  const { broken, shortfall, match } = preTradeCheck(market, order, account)
  if (price !== null && broken.some(({ rule }) => MARK_DISTANCE_RULES.has(rule)))
    return 'range_then'
  if (!account) return null
  if (reduceOnly) return match.reach < quantity ? 'position_then' : null
  return shortfall === null ? null : 'margin_then'
}

/** The two legs that close a position, with a profit and with a loss. */
export const LEGS = ['TAKE_PROFIT', 'STOP_LOSS'] as const

export type LegName = (typeof LEGS)[number]

/** The trigger of each leg; null for an absent leg. */
export type LegPrices = Readonly<Record<LegName, bigint | null>>

/** The problem with a leg's trigger, in the form for its field. `reference`: the position's entry or mark price. */
export function legProblem(
  rules: MarketRules,
  { leg, isLong, reference }: { leg: LegName; isLong: boolean; reference: bigint },
  trigger: bigint,
): FieldProblem | null {
  const isAbove = (leg === 'TAKE_PROFIT') === isLong
  if (isAbove ? trigger <= reference : trigger >= reference) {
    const price = fixedText(reference, tickPlaces(rules.quoteTick))
    const values = { leg: TICKET_TEXTS.legs[leg], price }
    return {
      text: filledTemplate(TICKET_TEXTS.legSide[isAbove ? 'above' : 'below'], values),
      corrections: [],
    }
  }
  const problem = checkTrigger(rules, isLong ? 'SELL' : 'BUY', trigger)
  return problem && brokenRule(problem)
}
