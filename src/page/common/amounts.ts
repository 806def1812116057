import { mulDiv, type Rounding } from '../../core/decimals.ts'
import { ONE } from './format.ts'

/** Price × size, or any other product of two exact values. */
export function times(a: bigint, b: bigint, rounding: Rounding = 'half'): bigint {
  return mulDiv(a, b, ONE, rounding)
}

/** The quotient of two exact values; zero where the divisor is. */
export function divided(a: bigint, b: bigint, rounding: Rounding = 'floor'): bigint {
  return b === 0n ? 0n : mulDiv(a, ONE, b, rounding)
}

/** The value on a grid of `step` from `offset`, at or below (`floor`) or at or above (`ceil`) it. */
export function onGrid(
  value: bigint,
  step: bigint,
  offset: bigint,
  rounding: 'floor' | 'ceil',
): bigint {
  return step <= 0n ? value : mulDiv(value - offset, 1n, step, rounding) * step + offset
}

/** For painting and for estimates, never for what is signed. */
export function toFloat(value: bigint): number {
  return Number(value) / Number(ONE)
}
