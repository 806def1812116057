import { larger } from '../../../core/decimals.ts'
import type { Shortfall } from '../../../perp/pre-trade-check.ts'
import { fill, fixedText } from '../../common/format.ts'
import { F } from '../messages/ticket.ts'
import type { Problem } from './check.ts'
import type { LegName, legProblem } from './conditional.ts'
import { readInput } from './inputs.ts'
import { priceText, sizeText, symbolBase } from './text.ts'
import type { TicketAccount } from './ticket-account.ts'

/** The reason why a field's number is unusable, and usable numbers. */
export type FieldProblem = {
  readonly text: string
  readonly corrections: readonly bigint[]
}

/** The problem with a text that is not a clear number; null for a number and for an empty text. */
export function unreadable(text: string): FieldProblem | null {
  const reading = readInput(text)
  if (reading.kind === 'value' || reading.kind === 'empty') return null
  const { kind, candidates } = reading
  return { text: fill(F.unreadable[kind], { text: text.trim() }), corrections: candidates }
}

/** The text of a field's broken rule; null if it breaks no rule. */
export function ruleProblem(
  problems: readonly Problem[],
  field: Problem['field'],
): FieldProblem | null {
  const problem = problems.find((each) => each.field === field)
  return problem ? brokenRule(problem) : null
}

function brokenRule({ rule, corrected }: Pick<Problem, 'rule' | 'corrected'>): FieldProblem {
  return { text: F.problem[rule], corrections: corrected > 0n ? [corrected] : [] }
}

/** The text of a leg's broken rule; null if it breaks no rule. */
export function legText(
  name: string,
  found: ReturnType<typeof legProblem>,
  { leg, reference: from }: { readonly leg: LegName; readonly reference: bigint },
): FieldProblem | null {
  if (!found) return null
  const { rule: broken, corrected } = found
  if (broken !== 'above' && broken !== 'below') return brokenRule({ rule: broken, corrected })
  const values = { leg: F.legs[leg], price: priceText(name, from) }
  return { text: fill(F.legSide[broken], values), corrections: [] }
}

/** The sentence about the condition that an order fails. */
export function excessText(
  market: string,
  excess: Shortfall,
  { free, rates }: TicketAccount,
  most: bigint,
): string {
  return fill(F.excess[excess], {
    ...{ free: fixedText(larger(0n, free), 2), leverage: rates.leverage },
    ...{ largest: sizeText(market, most), base: symbolBase(market) },
  })
}
