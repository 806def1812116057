import { computed } from '@preact/signals'
import { fill, fixed } from '../../common/format.ts'
import { canTrade } from '../account/session.ts'
import { isAccountKnown } from '../account/state.ts'
import { symbol } from '../market/state.ts'
import { F } from '../messages/ticket.ts'
import type { Problem } from './check.ts'
import {
  account,
  isReduceOnly,
  largest,
  price,
  size,
  sizeInput,
  slippage,
  slippageInput,
  verdict,
} from './draft.ts'
import type { Excess } from './judge.ts'
import type { MarketAccount, Money } from './margin.ts'
import { priceInput, type } from './switches.ts'
import { baseOf, readInput, sizeText } from './text.ts'

/** Why the order cannot be sent as it stands. */
export type Obstacle = {
  readonly text: string
  /** Whether something has not been filled in, or read, yet. */
  readonly isMissing: boolean
  /** A size that could be sent; zero where there is none. */
  readonly corrected: bigint
}

/** What keeps the order in the ticket from being sent; null when nothing does. */
export const obstacle = computed<Obstacle | null>(() => {
  if (!canTrade.value) return wrong(F.readOnly)
  if (!isAccountKnown.value || !account.value) return missing(F.reading)
  return inputObstacle() ?? venueObstacle()
})

/** What is missing or no number in the inputs. */
function inputObstacle(): Obstacle | null {
  const isMarket = type.value === 'MARKET'
  const unclear = isMarket
    ? unclearIn(F.slippage, slippageInput.value)
    : unclearIn(F.price, priceInput.value)
  if (unclear) return unclear
  if (isMarket && slippage.value === null) return wrong(F.slippageBad)
  if (!isMarket && price.value === null) return missing(F.missingPrice)
  return unclearIn(F.size, sizeInput.value) ?? sizeObstacle()
}

function sizeObstacle(): Obstacle | null {
  if (readInput(sizeInput.value).kind === 'empty') return missing(F.missingSize)
  if (isReduceOnly.value && largest.value === 0n) return wrong(F.nothingToReduce)
  if (largest.value === 0n)
    return wrong(fill(F.noMargin, { free: fixed(account.value?.free ?? 0n, 2) }))
  return size.value === null ? missing(F.missingSize) : null
}

/** What the venue would refuse. */
function venueObstacle(): Obstacle | null {
  const [problem] = verdict.value?.problems ?? []
  if (problem) return wrong(F.problem[problem.rule])
  const excess = verdict.value?.excess
  if (!excess || !account.value) return null
  const most = largest.value
  return wrong(excessText(symbol.value, excess, account.value, most), most)
}

/** What an order goes beyond in a market, in a sentence. */
export function excessText(
  market: string,
  excess: Excess,
  { free, leverage }: MarketAccount & Money,
  most: bigint,
): string {
  return fill(F.excess[excess], {
    ...{ free: fixed(free, 2), leverage },
    ...{ largest: sizeText(market, most), base: baseOf(market) },
  })
}

function unclearIn(label: string, text: string): Obstacle | null {
  const problem = unreadable(text)
  return problem && wrong(`${label}: ${problem.text}`)
}

function missing(text: string): Obstacle {
  return { text, isMissing: true, corrected: 0n }
}

function wrong(text: string, corrected = 0n): Obstacle {
  return { text, isMissing: false, corrected }
}

/** Why a field's number cannot be used, and the numbers that could be. */
export type FieldProblem = {
  readonly text: string
  readonly corrections: readonly bigint[]
  /** Takes a correction; without it the correction goes into the input. */
  readonly onCorrect?: ((value: bigint) => void) | undefined
}

/** What is wrong with a text that is no clear number; null for a number, or nothing. */
export function unreadable(text: string): FieldProblem | null {
  const reading = readInput(text)
  if (reading.kind === 'value' || reading.kind === 'empty') return null
  const { kind, candidates } = reading
  return { text: fill(F.unreadable[kind], { text: text.trim() }), corrections: candidates }
}

/** A broken rule of the market as a field shows it. */
export function ruleProblem(problem: Problem | undefined): FieldProblem | null {
  if (!problem) return null
  const { rule, corrected } = problem
  return { text: F.problem[rule], corrections: corrected > 0n ? [corrected] : [] }
}
