import { computed } from '@preact/signals'
import { larger } from '../../../core/decimals.ts'
import { filledTemplate, fixedText } from '../../common/format.ts'
import { unknownPart } from '../account/margin-account.ts'
import { canTrade } from '../account/session.ts'
import { isAccountKnown } from '../account/state.ts'
import { marketRule, shownMarket, symbol } from '../market/state.ts'
import { TICKET_TEXTS } from '../messages/ticket.ts'
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
  largestSizeNow,
  legs,
  partCount,
  price,
  side,
  slippage,
  ticketAccount,
  ticketSize,
  trigger,
  type,
  unit,
  valuationPrice,
  waitsForMark,
} from './draft.ts'
import { FIELDS, type FieldName } from './fields.ts'
import { inputText, readInput } from './inputs.ts'
import { excessText, unreadable } from './problems.ts'
import { SCALED_MAX, SLICES_MAX, splitProblem } from './split.ts'
import { kind } from './switches.ts'
import { symbolBase } from './text.ts'
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
  if (!canTrade.value) return faultObstacle(null, TICKET_TEXTS.readOnly)
  if (!isAccountKnown.value || !marketRule.value) return missingObstacle(TICKET_TEXTS.reading)
  return accountObstacle() ?? inputObstacle.value
})

/** The part of the account that cannot be read; null for a reduce-only order, unless its size depends on the account. */
function accountObstacle(): Obstacle | null {
  const { value: found } = unknownPart
  if (!found || (isReduceOnly.value && unit.value !== 'percent')) return null
  const { unread, unreadSize, unreadParts } = TICKET_TEXTS
  const part = filledTemplate(unreadParts[found.part], found)
  const text = isReduceOnly.value ? unreadSize : unread
  return faultObstacle(null, filledTemplate(text, { part, base: symbolBase(symbol.value) }))
}

/** The obstacle within the ticket itself, with or without an account; null if it is complete. */
export const inputObstacle = computed<Obstacle | null>(
  () => kindObstacle() ?? sizeObstacle() ?? partObstacle() ?? venueObstacle() ?? legObstacle(),
)

/** Puts a corrected value into a field. */
export function applyCorrection(field: FieldName, value: bigint): void {
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

type Input = { readonly value: unknown }

const missing = (input: Input, text: string) => () => input.value === null && missingObstacle(text)

const wrong = (field: FieldName, input: Input, text: string) => () =>
  input.value === null && faultObstacle(field, text)

const countText = (max: number) => filledTemplate(TICKET_TEXTS.countBad, { max })

/**
 * The check of each field that is empty or has a readable number. Returns the obstacle if the number is missing or
 * wrong.
 */
const CHECKS = {
  price: missing(price, TICKET_TEXTS.missingPrice),
  slippage: wrong('slippage', slippage, TICKET_TEXTS.slippageBad),
  trigger: missing(trigger, TICKET_TEXTS.missingTrigger),
  callback: wrong('callback', callback, TICKET_TEXTS.callbackBad),
  activation: () => {
    const { value: at } = activation
    const off = at !== null && marketRule.value && checkTrigger(marketRule.value, side.value, at)
    return off && faultObstacle('activation', TICKET_TEXTS.problem[off.rule], off.corrected)
  },
  end: () =>
    isReduceOnly.value
      ? faultObstacle(null, TICKET_TEXTS.scaledOnly)
      : missing(endPrice, TICKET_TEXTS.missingEnd)(),
  count: wrong('count', partCount, countText(SCALED_MAX)),
  slices: wrong('slices', partCount, countText(SLICES_MAX)),
  // Without a number of parts the interval is unknown too; the obstacle is then the number of parts, not the duration.
  minutes: () =>
    (durationMinutes.value === null || (partCount.value !== null && everyMs.value === null)) &&
    faultObstacle('minutes', TICKET_TEXTS.minutesBad),
} as const satisfies Partial<Record<FieldName, () => Obstacle | null | false>>

/** The first missing or wrong field of the ticket's kind of order. */
function kindObstacle(): Obstacle | null {
  for (const name of fieldsOfKind()) {
    const found = unclearFieldObstacle(name) ?? CHECKS[name]()
    if (found) return found
  }
  return null
}

/** The market rule that a part of a split order breaks. */
function partObstacle(): Obstacle | null {
  if (!marketRule.value || children.value.length === 0) return null
  const checked = { ...marketRule.value, mark: shownMarket.value?.mark || null }
  const problem = splitProblem(checked, children.value, side.value)
  if (!problem) return null
  // The size of the whole order if its parts have the corrected size.
  const whole = problem.corrected * BigInt(children.value.length)
  const text = filledTemplate(TICKET_TEXTS.ofPart, { text: TICKET_TEXTS.problem[problem.rule] })
  return faultObstacle(problem.field, text, problem.field === 'size' ? whole : 0n)
}

function sizeObstacle(): Obstacle | null {
  const unclear = unclearFieldObstacle('size')
  if (unclear) return unclear
  if (readInput(FIELDS.size.input.value).kind === 'empty')
    return missingObstacle(TICKET_TEXTS.missingSize)
  if (!waitsForMark.value && largestSizeNow.value === 0n)
    return faultObstacle('size', nothingText())
  if (unit.value === 'percent' && ticketAccount.value && largestSizeNow.value === null)
    return faultObstacle('size', TICKET_TEXTS.excess.fee)
  return ticketSize.value === null ? missingObstacle(TICKET_TEXTS.missingSize) : null
}

function nothingText(): string {
  if (isReduceOnly.value) return TICKET_TEXTS.nothingToReduce
  return filledTemplate(TICKET_TEXTS.noMargin, {
    free: fixedText(larger(0n, ticketAccount.value?.free ?? 0n), 2),
  })
}

/** The market rule or account condition that the order fails. */
function venueObstacle(): Obstacle | null {
  const [problem] = verdict.value?.problems ?? []
  const excess = verdict.value?.excess
  const most = largestSizeNow.value
  // A corrected size is not offered if it is more than the account's margin allows.
  const isBeyond = excess && problem?.field === 'size' && problem.corrected > (most ?? 0n)
  if (problem && !isBeyond)
    return faultObstacle(problem.field, TICKET_TEXTS.problem[problem.rule], problem.corrected)
  if (!excess || !ticketAccount.value) return null
  const text = excessText(symbol.value, excess, ticketAccount.value, most)
  return excess === 'price' || most === null
    ? faultObstacle(null, text)
    : faultObstacle('size', text, most)
}

/** The missing or wrong take-profit or stop-loss. */
function legObstacle(): Obstacle | null {
  if (!hasLegs.value) return null
  for (const leg of LEGS) {
    const found = unclearFieldObstacle(leg) ?? wrongLeg(leg)
    if (found) return found
  }
  return LEGS.every((leg) => legs.value[leg] === null)
    ? missingObstacle(TICKET_TEXTS.missingLegs)
    : null
}

function wrongLeg(leg: LegName): Obstacle | null {
  const { [leg]: at } = legs.value
  if (at === null || !marketRule.value) return null
  // A leg is compared with the price after the order has filled: its limit price, or else the current reference price.
  const wanted = {
    leg,
    isLong: side.value === 'BUY',
    reference: price.value ?? valuationPrice.value,
  }
  const problem = legProblem(marketRule.value, wanted, at)
  return problem && { ...faultObstacle(leg, problem.text), corrections: problem.corrections }
}

function unclearFieldObstacle(field: FieldName): Obstacle | null {
  const { label, input } = FIELDS[field]
  const problem = unreadable(input.value)
  if (!problem) return null
  return { ...faultObstacle(field, `${label}: ${problem.text}`), corrections: problem.corrections }
}

function missingObstacle(text: string): Obstacle {
  return { text, isMissing: true, field: null, corrections: [] }
}

function faultObstacle(field: FieldName | null, text: string, corrected = 0n): Obstacle {
  return { text, isMissing: false, field, corrections: corrected > 0n ? [corrected] : [] }
}
