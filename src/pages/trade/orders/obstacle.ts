import { computed } from '@preact/signals'
import { larger } from '../../../core/decimals.ts'
import { fill, fixedText } from '../../common/format.ts'
import { canTrade } from '../account/session.ts'
import { isAccountKnown } from '../account/state.ts'
import { rule, shownMarket, symbol } from '../market/state.ts'
import { F } from '../messages/ticket.ts'
import { checkTrigger, type FieldProblem } from './check.ts'
import { LEGS, type LegName, legProblem } from './conditional.ts'
import {
  activation,
  callback,
  children,
  durationMinutes,
  endPrice,
  everyMs,
  hasLegs,
  hasSlippage,
  isReduceOnly,
  largest,
  legs,
  partCount,
  price,
  reference,
  side,
  slippage,
  ticketAccount,
  ticketSize,
  trigger,
  type,
  unit,
  waitsForMark,
} from './draft.ts'
import { FIELDS, type FieldName } from './fields.ts'
import { inputText, readInput } from './inputs.ts'
import { excessText, unreadable } from './problems.ts'
import { SCALED_MAX, SLICES_MAX, splitProblem } from './split.ts'
import { kind } from './switches.ts'
import { verdict } from './verdict.ts'

/** The reason why the order cannot be sent. */
export type Obstacle = FieldProblem & {
  /** Whether only an input or a read is still missing. */
  readonly isMissing: boolean
  /** The wrong input; null if the obstacle is not an input. */
  readonly field: FieldName | null
}

/** The reason why the order in the ticket cannot be sent; null if it can. */
export const obstacle = computed<Obstacle | null>(() => {
  if (!canTrade.value) return wrong(null, F.readOnly)
  if (!isAccountKnown.value || !ticketAccount.value) return missing(F.reading)
  return inputObstacle.value
})

/** The obstacle within the ticket itself, with or without an account; null if it is complete. */
export const inputObstacle = computed<Obstacle | null>(
  () => kindObstacle() ?? sizeObstacle() ?? partObstacle() ?? venueObstacle() ?? legObstacle(),
)

/** Puts a corrected value into a field. */
export function correct(field: FieldName, value: bigint): void {
  if (field === 'size') unit.value = 'base'
  FIELDS[field].input.value = inputText(value)
}

/** The fields of the ticket's kind of order, apart from the size, in screen order. */
function fieldsOfKind(): readonly (keyof typeof CHECKS)[] {
  switch (kind.value) {
    case 'STOP':
      return type.value === 'MARKET' ? ['trigger'] : ['trigger', 'price']
    case 'TRAILING_STOP':
      return ['callback', 'activation']
    case 'SCALED':
      return ['price', 'end', 'count']
    case 'TWAP':
      return ['minutes', 'slices', 'slippage']
    default:
      return hasSlippage.value ? ['slippage'] : type.value === 'MARKET' ? [] : ['price']
  }
}

/**
 * The check of each field that is empty or has a readable number. Returns the obstacle if the number is missing or
 * wrong.
 */
const CHECKS = {
  price: () => price.value === null && missing(F.missingPrice),
  slippage: () => slippage.value === null && wrong('slippage', F.slippageBad),
  trigger: () => trigger.value === null && missing(F.missingTrigger),
  callback: () => callback.value === null && wrong('callback', F.callbackBad),
  activation: () => {
    const { value: at } = activation
    const off = at !== null && rule.value && checkTrigger(rule.value, side.value, at)
    return off && wrong('activation', F.problem[off.rule], off.corrected)
  },
  end: () =>
    isReduceOnly.value
      ? wrong(null, F.scaledOnly)
      : endPrice.value === null && missing(F.missingEnd),
  count: () => partCount.value === null && wrong('count', fill(F.countBad, { max: SCALED_MAX })),
  slices: () => partCount.value === null && wrong('slices', fill(F.countBad, { max: SLICES_MAX })),
  // Without a number of parts the interval is unknown too; the obstacle is then the number of parts, not the duration.
  minutes: () =>
    (durationMinutes.value === null || (partCount.value !== null && everyMs.value === null)) &&
    wrong('minutes', F.minutesBad),
} as const satisfies Partial<Record<FieldName, () => Obstacle | null | false>>

/** The first missing or wrong field of the ticket's kind of order. */
function kindObstacle(): Obstacle | null {
  for (const name of fieldsOfKind()) {
    const found = unclearIn(name) ?? CHECKS[name]()
    if (found) return found
  }
  return null
}

/** The market rule that a part of a split order breaks. */
function partObstacle(): Obstacle | null {
  if (!rule.value || children.value.length === 0) return null
  const checked = { ...rule.value, mark: shownMarket.value?.mark || null }
  const problem = splitProblem(checked, children.value, side.value)
  if (!problem) return null
  // The size of the whole order if its parts have the corrected size.
  const whole = problem.corrected * BigInt(children.value.length)
  const text = fill(F.ofPart, { text: F.problem[problem.rule] })
  return wrong(problem.field, text, problem.field === 'size' ? whole : 0n)
}

function sizeObstacle(): Obstacle | null {
  const unclear = unclearIn('size')
  if (unclear) return unclear
  if (readInput(FIELDS.size.input.value).kind === 'empty') return missing(F.missingSize)
  if (ticketAccount.value && !waitsForMark.value && largest.value === 0n)
    return wrong('size', nothingText())
  return ticketSize.value === null ? missing(F.missingSize) : null
}

function nothingText(): string {
  if (isReduceOnly.value) return F.nothingToReduce
  if (ticketAccount.value?.takerFee === null) return F.excess.fee
  return fill(F.noMargin, { free: fixedText(larger(0n, ticketAccount.value?.free ?? 0n), 2) })
}

/** The market rule or account condition that the order fails. */
function venueObstacle(): Obstacle | null {
  const [problem] = verdict.value?.problems ?? []
  const excess = verdict.value?.excess
  const most = largest.value
  // A corrected size is not offered if it is more than the account's margin allows.
  const isBeyond = excess && problem?.field === 'size' && problem.corrected > most
  if (problem && !isBeyond) return wrong(problem.field, F.problem[problem.rule], problem.corrected)
  if (!excess || !ticketAccount.value) return null
  const text = excessText(symbol.value, excess, ticketAccount.value, most)
  return excess === 'price' || excess === 'fee' ? wrong(null, text) : wrong('size', text, most)
}

/** The missing or wrong take-profit or stop-loss. */
function legObstacle(): Obstacle | null {
  if (!hasLegs.value) return null
  for (const leg of LEGS) {
    const found = unclearIn(leg) ?? wrongLeg(leg)
    if (found) return found
  }
  return LEGS.every((leg) => legs.value[leg] === null) ? missing(F.missingLegs) : null
}

function wrongLeg(leg: LegName): Obstacle | null {
  const { [leg]: at } = legs.value
  if (at === null || !rule.value) return null
  // A leg is compared with the price after the order has filled: its limit price, or else the current reference price.
  const wanted = { leg, isLong: side.value === 'BUY', reference: price.value ?? reference.value }
  const problem = legProblem(rule.value, wanted, at)
  return problem && { ...wrong(leg, problem.text), corrections: problem.corrections }
}

function unclearIn(field: FieldName): Obstacle | null {
  const { label, input } = FIELDS[field]
  const problem = unreadable(input.value)
  if (!problem) return null
  return { ...wrong(field, `${label}: ${problem.text}`), corrections: problem.corrections }
}

function missing(text: string): Obstacle {
  return { text, isMissing: true, field: null, corrections: [] }
}

function wrong(field: FieldName | null, text: string, corrected = 0n): Obstacle {
  return { text, isMissing: false, field, corrections: corrected > 0n ? [corrected] : [] }
}
