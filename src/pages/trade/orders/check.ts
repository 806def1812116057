import type { MarketRules } from '../../../perp/market-rules.ts'
import { type BrokenRule, brokenTriggerRules } from '../../../perp/order-check.ts'
import type { Order } from '../../../perp/order-match.ts'
import type { Side } from '../../../perp/positions.ts'
import { TICKET_TEXTS } from '../messages/ticket.ts'

/** The types of a limit order, which differ in how long it may rest and whether it may take liquidity. */
export const LIMIT_TYPES = ['LIMIT', 'IOC', 'FOK', 'POST_ONLY'] as const

export type LimitType = (typeof LIMIT_TYPES)[number]

/** The order types that the ticket sends. */
export type TicketOrderType = LimitType | 'MARKET'

/**
 * The kinds of order that the ticket offers. STOP and TRAILING_STOP wait for the mark price; SCALED and TWAP are
 * several orders.
 */
export type TicketOrderKind = 'LIMIT' | 'MARKET' | 'STOP' | 'TRAILING_STOP' | 'SCALED' | 'TWAP'

/** An order before it is sent, without its margin mode. */
export type Draft = Omit<Order, 'type' | 'mode'> & { readonly type: TicketOrderType }

/** A market rule that a field breaks. `corrected`: the field's value in an order that satisfies all rules. */
export type Problem = Pick<BrokenRule, 'rule' | 'corrected'> & {
  readonly field: 'price' | 'size' | 'trigger'
}

/** Broken rules with the ticket's field names. A size beyond a bound is listed before a size off the tick. */
export function toProblems(broken: readonly BrokenRule[]): readonly Problem[] {
  const isStep = ({ rule }: BrokenRule) => Number(rule === 'base_tick')
  return broken
    .toSorted((one, other) => isStep(one) - isStep(other))
    .map(({ rule, field, corrected }) => ({
      ...{ rule, corrected },
      field: field === 'quantity' ? 'size' : field,
    }))
}

/** The first rule that a trigger breaks. */
export function checkTrigger(rules: MarketRules, side: Side, trigger: bigint): Problem | null {
  const [found] = brokenTriggerRules(rules, side, trigger)
  return found ? { ...found, field: 'trigger' } : null
}

/** The reason why a field's number cannot be used. `corrections`: numbers that can be used. */
export type FieldProblem = {
  readonly text: string
  readonly corrections: readonly bigint[]
}

/** The broken rule of a field as the field shows it. */
export function ruleProblem(
  problems: readonly Problem[],
  field: Problem['field'],
): FieldProblem | null {
  const problem = problems.find((each) => each.field === field)
  return problem ? brokenRule(problem) : null
}

/** A broken rule as a field shows it. */
export function brokenRule({ rule, corrected }: Problem): FieldProblem {
  return { text: TICKET_TEXTS.problem[rule], corrections: corrected > 0n ? [corrected] : [] }
}
