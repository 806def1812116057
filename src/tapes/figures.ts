import { parseDecimal } from '../core/decimals.ts'
import { TAPE_LIMITS, type TapeFigure } from './records.ts'

const PLAIN = /^(-?)(\d{1,18})(?:\.(\d{1,40}))?$/

/** The exact value of a decimal text, with as few decimals as possible. Throws RangeError for any other text. */
export function parseFigure(text: string): TapeFigure {
  const match = PLAIN.exec(text)
  if (match === null) return spelledFigure(text)
  const [, sign = '', integer = '', fraction = ''] = match
  const decimals = significant(fraction)
  const value = Number(integer + fraction.slice(0, decimals))
  if (decimals > TAPE_LIMITS.decimalsMax || value > TAPE_LIMITS.figureMax) throw tooFine(text)
  return { value: sign === '-' && value !== 0 ? -value : value, decimals }
}

/** The number of digits of a fraction, without trailing zeros. */
function significant(fraction: string): number {
  let length = fraction.length
  while (length > 0 && fraction[length - 1] === '0') length -= 1
  return length
}

/** The value of a number written with an exponent. */
function spelledFigure(text: string): TapeFigure {
  const scaled = parseDecimal(text, TAPE_LIMITS.decimalsMax)
  if (scaled === null) throw tooFine(text)
  let [value, decimals] = [scaled, TAPE_LIMITS.decimalsMax as number]
  for (; decimals > 0 && value % 10n === 0n; decimals -= 1) value /= 10n
  if (value > BigInt(TAPE_LIMITS.figureMax) || value < -BigInt(TAPE_LIMITS.figureMax))
    throw tooFine(text)
  return { value: Number(value), decimals }
}

function tooFine(text: string): RangeError {
  return new RangeError(`no figure that a tape can hold: ${text.slice(0, 40)}`)
}

/** The integer that stands for a figure at a scale. The scale must have at least as many decimals as the figure. */
export function scaledTo({ value, decimals }: TapeFigure, scale: number): number {
  return value * 10 ** (scale - decimals)
}

/** The shortest decimal text for an integer at a scale. */
export function figureText(value: number, scale: number): string {
  const digits = String(Math.abs(value)).padStart(scale + 1, '0')
  const fraction = scale === 0 ? '' : digits.slice(-scale)
  const shown = fraction.slice(0, significant(fraction))
  const integer = scale === 0 ? digits : digits.slice(0, -scale)
  return `${value < 0 ? '-' : ''}${integer}${shown === '' ? '' : `.${shown}`}`
}
