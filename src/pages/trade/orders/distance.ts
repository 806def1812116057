import { signal } from '@preact/signals'
import { larger, ONE } from '../../../core/decimals.ts'
import { product, quotient, roundedToStep } from '../../../perp/amounts.ts'
import type { MarketRules } from '../../../perp/market-rules.ts'
import type { LegName } from './conditional.ts'
import { inputText, typedNumber } from './inputs.ts'

/**
 * `entry`: the price from which a trigger's distance is measured. `isAbove`: whether the trigger must be above this
 * price.
 */
export type DistanceReference = {
  readonly rules: MarketRules
  readonly entry: bigint
  readonly isAbove: boolean
}

/** Distances are rounded to 0.01%. */
const STEP = ONE / 100n

/** The trigger at a distance in percent from the entry, rounded to the tick towards the entry. */
function triggerAt({ rules, entry, isAbove }: DistanceReference, percent: bigint): bigint {
  const whole = 100n * ONE
  const at = product(entry, isAbove ? whole + percent : larger(0n, whole - percent)) / 100n
  return roundedToStep(at, rules.quoteTick, isAbove ? 'floor' : 'ceil')
}

/** The distance of a trigger from the entry in percent, rounded to 0.01; null for a trigger on the wrong side of the entry. */
function percentTo({ entry, isAbove }: DistanceReference, trigger: bigint): bigint | null {
  const distance = isAbove ? trigger - entry : entry - trigger
  if (distance < 0n || entry === 0n) return null
  return roundedToStep(quotient(distance * 100n, entry), STEP, 'half')
}

/**
 * The sign that may precede a typed distance: plus for a take profit, minus for a stop loss. The sign does not depend
 * on the side of the trigger.
 */
const SIGNS = {
  TAKE_PROFIT: /^\s*[+\uff0b]/,
  STOP_LOSS: /^\s*[-\u2010-\u2015\u2212\ufe63\uff0d]/,
} as const

/** An input for a trigger's distance. It shows the distance of the current trigger; typing a distance sets the trigger. */
export function distanceInput(
  leg: LegName,
  trigger: { value: string },
  groundOf: () => DistanceReference | null,
): { value: string } {
  /** The typed text and the trigger that it set. The text is shown while that trigger is unchanged. */
  const written = signal({ percent: '', trigger: '', isAbove: false })
  return {
    get value() {
      const ground = groundOf()
      const { value: last } = written
      const isOwn = last.trigger === trigger.value && last.isAbove === ground?.isAbove
      if (isOwn) return last.percent
      const at = typedNumber(trigger.value)
      const percent = ground && at !== null ? percentTo(ground, at) : null
      return percent === null ? '' : inputText(percent)
    },
    set value(text) {
      const ground = groundOf()
      const percent = text.replace(SIGNS[leg], '')
      const distance = typedNumber(percent)
      if (!ground) return
      trigger.value = distance === null ? '' : inputText(triggerAt(ground, distance))
      written.value = { percent, trigger: trigger.value, isAbove: ground.isAbove }
    },
  }
}
