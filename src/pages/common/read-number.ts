import { SCALE } from '../../core/decimals.ts'
import { amountText, toAmount } from '../../perp/amounts.ts'

/** How a locale writes numbers. */
export type NumberSigns = {
  readonly decimal: string
  readonly group: string
  /** Digits in each group before the last, which has three: two in India, otherwise three. */
  readonly groupDigits: number
}

/** The meaning of a typed or pasted text as a number of at most eighteen decimal places. */
export type NumberReading =
  | { readonly kind: 'empty' }
  | { readonly kind: 'value'; readonly value: bigint }
  | {
      /** `ambiguous`: two numbers; `unclear`: signs in the wrong places; `not_a_number`: other characters. */
      readonly kind: 'ambiguous' | 'unclear' | 'too_fine' | 'not_a_number'
      /** The numbers that may be meant. */
      readonly candidates: readonly bigint[]
    }

/** The signs of a locale; for an invalid tag those of the runtime's own locale. */
export function localeSigns(locale: string): NumberSigns {
  const parts = numberFormat(locale).formatToParts(SAMPLE)
  const numberPart = (type: Intl.NumberFormatPartTypes, fallback: string) =>
    normalized(parts.find((part) => part.type === type)?.value ?? fallback)
  const groups = parts.filter(({ type }) => type === 'integer')
  return {
    decimal: numberPart('decimal', '.'),
    group: numberPart('group', ','),
    groupDigits: groups.at(-2)?.value.length === 2 ? 2 : 3,
  }
}

const SAMPLE = 1_234_567_890.5

function numberFormat(locale: string): Intl.NumberFormat {
  try {
    return new Intl.NumberFormat(locale)
  } catch {
    return new Intl.NumberFormat()
  }
}

/**
 * Reads a number that is not negative as the locale writes it, or in the page's own notation: digits and one decimal
 * point. Groups count only where the locale puts them; a text with two readings is refused.
 */
export function readNumber(text: string, signs: NumberSigns): NumberReading {
  const plain = normalized(text).trim()
  if (plain === '') return { kind: 'empty' }
  const readings = [inLocale(plain, signs), asPoint(plain)].filter((found) => found !== null)
  const candidates = distinct(readings)
  const [decimal] = candidates
  if (decimal === undefined) return refusal(plain)
  if (candidates.length > 1) return { kind: 'ambiguous', candidates: candidates.map(cut) }
  const value = toAmount(decimal)
  return value === null
    ? { kind: 'too_fine', candidates: [cut(decimal)] }
    : { kind: 'value', value }
}

/** The text of a value that `readNumber` reads as that value under these signs. */
export function writeNumber(value: bigint, { decimal, group }: NumberSigns): string {
  const text = amountText(value)
  return group === '.' ? text.replace('.', decimal) : text
}

/** Signs that only ever group digits, in any locale: spaces, apostrophes and the Arabic thousands sign. */
const ALWAYS_GROUPS = " '٬"
const ARABIC_DECIMAL = '٫'

/** A plain decimal such as `1234.5` of a text in the locale's notation; null for any other text. */
function inLocale(text: string, { decimal, group, groupDigits }: NumberSigns): string | null {
  const mark = text.search(characterPattern(decimal + ARABIC_DECIMAL))
  const whole = mark < 0 ? text : text.slice(0, mark)
  const fraction = mark < 0 ? '' : text.slice(mark + 1)
  if (!DIGITS.test(fraction)) return null
  const [sign = ''] = characterPattern(group + ALWAYS_GROUPS).exec(whole) ?? []
  if (sign === '') return DIGITS.test(whole) ? joined(whole, fraction) : null
  const groups = whole.split(sign)
  return isGrouped(groups, 3) || isGrouped(groups, groupDigits)
    ? joined(groups.join(''), fraction)
    : null
}

const DIGITS = /^\d*$/

function characterPattern(characters: string): RegExp {
  return new RegExp(`[${characters.replace(/[\\\]^-]/g, '\\$&')}]`)
}

/** Whether digits are grouped: three in the last group, `size` in each before it, fewer in the first. */
function isGrouped([first = '', ...others]: readonly string[], size: number): boolean {
  const last = others.at(-1) ?? ''
  const middle = others.slice(0, -1)
  return (
    /^[1-9]\d*$/.test(first) &&
    first.length <= size &&
    /^\d{3}$/.test(last) &&
    middle.every((group) => DIGITS.test(group) && group.length === size)
  )
}

/** A plain decimal in the page's own notation; null for any other text. */
function asPoint(text: string): string | null {
  const [, whole = '', fraction = ''] = /^(\d*)(?:\.(\d*))?$/.exec(text) ?? []
  return joined(whole, fraction)
}

function joined(whole: string, fraction: string): string | null {
  if (whole + fraction === '') return null
  const integer = whole.replace(/^0+(?=\d)/, '') || '0'
  const places = fraction.replace(/(?<!0)0+$/, '')
  return places === '' ? integer : `${integer}.${places}`
}

/** A text that is not a number here, with the numbers that other locales would read in it. */
function refusal(text: string): NumberReading {
  const found = [asDecimal(text), asGroups(text)].filter((each) => each !== null)
  const candidates = distinct(found).map(cut)
  const isNumeric = /\d/.test(text) && /^[\d., '٬٫]+$/.test(text)
  return { kind: isNumeric ? 'unclear' : 'not_a_number', candidates }
}

/** The last sign as the decimal point, and any other sign before it as groups. */
function asDecimal(text: string): string | null {
  const [, whole = '', mark = '', fraction = ''] = /^(.*)([.,٫])(\d*)$/.exec(text) ?? []
  const groups = splitAtGroups(whole)
  const isClear = groups.length === 1 ? DIGITS.test(whole) : isGrouped(groups, 3)
  return mark !== '' && isClear && !whole.includes(mark) ? joined(groups.join(''), fraction) : null
}

/** Every sign, which are all the same, as groups of three. */
function asGroups(text: string): string | null {
  const groups = splitAtGroups(text)
  return groups.length > 1 && isGrouped(groups, 3) ? joined(groups.join(''), '') : null
}

function splitAtGroups(text: string): readonly string[] {
  const [sign] = /[., '٬]/.exec(text) ?? []
  return sign === undefined ? [text] : text.split(sign)
}

/** The value of a plain decimal, places past the eighteenth left out. */
function cut(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return toAmount(fraction === '' ? whole : `${whole}.${fraction.slice(0, SCALE)}`) ?? 0n
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}

/** The text with ASCII digits and signs, without invisible characters. */
function normalized(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/[．｡]/g, '.')
    .replace(/[，،]/g, ',')
    .replace(/[’‘＇]/g, "'")
    .replace(/\s/g, ' ')
}

const DECIMAL_DIGIT = /^\p{Nd}$/u

/** The ASCII digit of a decimal digit of any script: Unicode keeps each script's ten in one run. */
function asciiDigit(character: string): string {
  const code = character.codePointAt(0) ?? 0
  let before = 0
  while (DECIMAL_DIGIT.test(String.fromCodePoint(code - before - 1))) before += 1
  return String(before % 10)
}
