import type { Rule } from '../market/rows.ts'
import { checkOrder, checkTrigger, type Draft, type Problem } from './check.ts'
import type { Fate } from './estimate.ts'
import { closableOf, excessOf, type Verdict } from './judge.ts'
import type { MarketAccount } from './margin.ts'

/** A stop or a trailing stop before it is sent; a trailing stop has no trigger of its own. */
export type WaitingDraft = Pick<Draft, 'side' | 'price' | 'size' | 'isReduceOnly' | 'mark'> & {
  readonly trigger: bigint | null
}

const NO_FILL = { size: 0n, value: 0n, loss: 0n, worst: null } as const

/**
 * What the venue would refuse of an order that waits for the mark, and what would become of it then if nothing changed:
 * margin, position and distance from the mark are judged when it is sent, not before.
 */
export function judgeWaiting(
  rule: Rule,
  draft: WaitingDraft,
  account: MarketAccount | null,
): Verdict {
  const { side, price, trigger, size, isReduceOnly, mark } = draft
  const order = { side, price, size, mark: null, isFullClose: isReduceOnly }
  const off = trigger === null ? null : checkTrigger(rule, side, trigger)
  const problems = checkOrder(rule, { ...order, reference: trigger ?? mark })
  return {
    problems: off ? [off, ...problems] : problems,
    excess: null,
    fate: fateThen(rule, draft, account),
    fill: NO_FILL,
  }
}

/** What would end the order when it is sent at its trigger, with the account as it is now. */
function fateThen(rule: Rule, draft: WaitingDraft, account: MarketAccount | null): Fate | null {
  const { side, price, trigger, size, isReduceOnly, mark } = draft
  const at = trigger ?? mark
  const isOutside = (found: Problem) => found.rule === 'price_mark'
  const order = { side, price, size, reference: at, mark: at, isFullClose: isReduceOnly }
  if (price !== null && checkOrder(rule, order).some(isOutside)) return 'range_then'
  if (!account) return null
  if (isReduceOnly) return size > closableOf(draft, account) ? 'position_then' : null
  const sent = { side, type: 'LIMIT', price: price ?? at, isReduceOnly, slippage: null } as const
  const excess = excessOf(rule, { ...sent, best: null, opposite: [], mark: at }, account, size)
  return excess === null ? null : 'margin_then'
}

/** The two orders that close a position: where it has won, and where it has lost. */
export const LEGS = ['TAKE_PROFIT', 'STOP_LOSS'] as const

export type LegName = (typeof LEGS)[number]

/** The trigger of each leg; null for one that there is not. */
export type LegPrices = Readonly<Record<LegName, bigint | null>>

export type LegProblem = {
  readonly rule: Problem['rule'] | 'above' | 'below'
  /** The trigger that would keep the rule; zero where none follows from it. */
  readonly corrected: bigint
}

/** What is wrong with the trigger of a leg of a position whose entry or mark is `reference`. */
export function legProblem(
  rule: Rule,
  { leg, isLong, reference }: { leg: LegName; isLong: boolean; reference: bigint },
  trigger: bigint,
): LegProblem | null {
  const isAbove = (leg === 'TAKE_PROFIT') === isLong
  if (isAbove ? trigger <= reference : trigger >= reference)
    return { rule: isAbove ? 'above' : 'below', corrected: 0n }
  return checkTrigger(rule, isLong ? 'SELL' : 'BUY', trigger)
}
