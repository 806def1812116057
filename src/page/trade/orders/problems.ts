import { computed, type Signal } from '@preact/signals'
import { fill, fixed } from '../../common/format.ts'
import { canTrade } from '../account/session.ts'
import { isAccountKnown } from '../account/state.ts'
import { rule, symbol } from '../market/state.ts'
import { F } from '../messages/ticket.ts'
import { checkTrigger, type Problem } from './check.ts'
import { LEGS, type LegName, legProblem } from './conditional.ts'
import {
  account,
  activation,
  activationInput,
  callback,
  callbackInput,
  countInput,
  endInput,
  hasLegs,
  hasSlippage,
  isReduceOnly,
  isWaiting,
  largest,
  legInputs,
  legs,
  minutesInput,
  price,
  reference,
  side,
  size,
  sizeInput,
  slicesInput,
  slippage,
  slippageInput,
  trigger,
  type,
  unit,
  verdict,
} from './draft.ts'
import type { Excess } from './judge.ts'
import type { MarketAccount, Money } from './margin.ts'
import { partTrouble, splitFields, splitTrouble } from './split-trouble.ts'
import { kind, priceInput, triggerInput } from './switches.ts'
import { baseOf, inputText, priceText, readInput, sizeText } from './text.ts'

/** The inputs of the ticket whose numbers can be wrong. */
export type FieldName =
  | Problem['field']
  | ('slippage' | 'callback' | 'activation' | 'end' | 'count' | 'minutes' | 'slices')
  | LegName

/** Why the order cannot be sent as it stands. */
export type Obstacle = {
  readonly text: string
  /** Whether something has not been filled in, or read, yet. */
  readonly isMissing: boolean
  /** The input that is wrong; null where none is. */
  readonly field: FieldName | null
  /** Values of that input that could be sent. */
  readonly corrections: readonly bigint[]
}

/** What keeps the order in the ticket from being sent; null when nothing does. */
export const obstacle = computed<Obstacle | null>(() => {
  if (!canTrade.value) return wrong(null, F.readOnly)
  if (!isAccountKnown.value || !account.value) return missing(F.reading)
  return inputObstacle.value
})

/** What is missing of, or wrong with, the ticket, whoever fills it in. */
export const inputObstacle = computed<Obstacle | null>(
  () =>
    triggerObstacle() ??
    priceObstacle() ??
    splitObstacle() ??
    sizeObstacle() ??
    childObstacle() ??
    venueObstacle() ??
    legObstacle(),
)

/** The inputs by the field that a problem names. */
const INPUTS: Readonly<Record<FieldName, Signal<string>>> = {
  ...{ price: priceInput, size: sizeInput, trigger: triggerInput, slippage: slippageInput },
  ...{ callback: callbackInput, activation: activationInput, ...legInputs },
  ...{ end: endInput, count: countInput, minutes: minutesInput, slices: slicesInput },
}

/** Puts a value in the place of one that could not be sent. */
export function correct(field: FieldName, value: bigint): void {
  if (field === 'size') unit.value = 'base'
  INPUTS[field].value = inputText(value)
}

/** What is missing of, or wrong with, when an order that waits is sent. */
function triggerObstacle(): Obstacle | null {
  if (kind.value === 'STOP') {
    const unclear = unclearIn('trigger', F.trigger)
    return unclear ?? (trigger.value === null ? missing(F.missingTrigger) : null)
  }
  if (kind.value !== 'TRAILING_STOP') return null
  const unclear = unclearIn('callback', F.callback) ?? unclearIn('activation', F.activation)
  if (unclear) return unclear
  if (callback.value === null) return wrong('callback', F.callbackBad)
  const { value: at } = activation
  const off = at !== null && rule.value ? checkTrigger(rule.value, side.value, at) : null
  return off && wrong('activation', F.problem[off.rule], off.corrected)
}

/** What is missing of, or wrong with, the price or the slippage. */
function priceObstacle(): Obstacle | null {
  if (hasSlippage.value) {
    const unclear = unclearIn('slippage', F.slippage)
    return unclear ?? (slippage.value === null ? wrong('slippage', F.slippageBad) : null)
  }
  if (type.value === 'MARKET') return null
  return unclearIn('price', F.price) ?? (price.value === null ? missing(F.missingPrice) : null)
}

/** What is missing of, or wrong with, how an order is split. */
function splitObstacle(): Obstacle | null {
  for (const [field, label] of splitFields()) {
    const unclear = unclearIn(field, label)
    if (unclear) return unclear
  }
  const found = splitTrouble()
  return found && { ...found, corrections: [] }
}

/** What the venue would refuse of a part of the order. */
function childObstacle(): Obstacle | null {
  const found = partTrouble()
  return found && wrong(found.field, found.text, found.corrected)
}

function sizeObstacle(): Obstacle | null {
  const unclear = unclearIn('size', F.size)
  if (unclear) return unclear
  if (readInput(sizeInput.value).kind === 'empty') return missing(F.missingSize)
  if (account.value && !isWaiting.value && largest.value === 0n) return wrong('size', nothingText())
  return size.value === null ? missing(F.missingSize) : null
}

function nothingText(): string {
  if (isReduceOnly.value) return F.nothingToReduce
  return fill(F.noMargin, { free: fixed(account.value?.free ?? 0n, 2) })
}

/** What the venue would refuse. */
function venueObstacle(): Obstacle | null {
  const [problem] = verdict.value?.problems ?? []
  const excess = verdict.value?.excess
  const most = largest.value
  // A size that keeps the market's rules is no help where the account cannot carry it either.
  const isBeyond = excess && problem?.field === 'size' && problem.corrected > most
  if (problem && !isBeyond) return wrong(problem.field, F.problem[problem.rule], problem.corrected)
  if (!excess || !account.value) return null
  return wrong('size', excessText(symbol.value, excess, account.value, most), most)
}

/** What is missing of, or wrong with, the take profit and the stop loss. */
function legObstacle(): Obstacle | null {
  if (!hasLegs.value) return null
  for (const leg of LEGS) {
    const found = unclearIn(leg, F.legs[leg]) ?? wrongLeg(leg)
    if (found) return found
  }
  return LEGS.every((leg) => legs.value[leg] === null) ? missing(F.missingLegs) : null
}

function wrongLeg(leg: LegName): Obstacle | null {
  const { [leg]: at } = legs.value
  if (at === null || !rule.value) return null
  // A leg is compared with the mark once the order has filled: at its price where it rests, else at the mark of now.
  const wanted = { leg, isLong: side.value === 'BUY', reference: price.value ?? reference.value }
  const problem = legText(symbol.value, legProblem(rule.value, wanted, at), wanted)
  return problem && { ...wrong(leg, problem.text), corrections: problem.corrections }
}

/** A broken rule of a leg as a field shows it. */
export function legText(
  name: string,
  found: ReturnType<typeof legProblem>,
  { leg, reference: from }: { readonly leg: LegName; readonly reference: bigint },
): FieldProblem | null {
  if (!found) return null
  const { rule: broken, corrected } = found
  if (broken !== 'above' && broken !== 'below')
    return { text: F.problem[broken], corrections: corrected > 0n ? [corrected] : [] }
  const values = { leg: F.legs[leg], price: priceText(name, from) }
  return { text: fill(F.legSide[broken], values), corrections: [] }
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

function unclearIn(field: FieldName, label: string): Obstacle | null {
  const problem = unreadable(INPUTS[field].value)
  return (
    problem && {
      ...wrong(field, `${label}: ${problem.text}`),
      corrections: problem.corrections,
    }
  )
}

function missing(text: string): Obstacle {
  return { text, isMissing: true, field: null, corrections: [] }
}

function wrong(field: FieldName | null, text: string, corrected = 0n): Obstacle {
  return { text, isMissing: false, field, corrections: corrected > 0n ? [corrected] : [] }
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
