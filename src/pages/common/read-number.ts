import { SCALE } from '../../core/decimals.ts'
import { amountText, toAmount } from '../../perp/amounts.ts'

/** How a locale writes numbers. */
export type NumberSigns = {
  readonly decimal: string
  readonly group: string
  /** Digits per group: two in India, otherwise three. The last group always has three. */
  readonly groupDigits: number
}

/** The result of reading a typed or pasted text as a number with at most eighteen decimal places. */
export type NumberReading =
  | { readonly kind: 'empty' }
  | { readonly kind: 'value'; readonly value: bigint }
  | {
      /**
       * `ambiguous`: two readings; `unclear`: separators in wrong places; `too_fine`: too many places; `not_a_number`:
       * other text.
       */
      readonly kind: 'ambiguous' | 'unclear' | 'too_fine' | 'not_a_number'
      /** The possible readings. */
      readonly candidates: readonly bigint[]
    }

/** The separators of a locale; the separators of the runtime's own locale for an invalid tag. */
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
 * Reads a number of zero or more in the locale's notation, or in the page's own: digits and one decimal point. Group
 * separators are accepted only at the locale's positions. A text with two readings is refused.
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

/** Writes a value so that `readNumber` reads the same value with these separators. */
export function writeNumber(value: bigint, { decimal, group }: NumberSigns): string {
  const text = amountText(value)
  return group === '.' ? text.replace('.', decimal) : text
}

/** Space, apostrophe and the Arabic thousands separator. They only ever group digits, in any locale. */
const ALWAYS_GROUPS = " '٬"
const ARABIC_DECIMAL = '٫'

/** Converts a text in the locale's notation to a plain decimal such as `1234.5`; null for other text. */
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

/**
 * Whether groups of digits are well-formed: three in the last group, `size` in each earlier group, at most `size` in
 * the first.
 */
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

/** The refusal of a text, with the numbers that other locales would read in it. */
function refusal(text: string): NumberReading {
  const found = [asDecimal(text), asGroups(text)].filter((each) => each !== null)
  const candidates = distinct(found).map(cut)
  const isNumeric = /\d/.test(text) && /^[\d., '٬٫]+$/.test(text)
  return { kind: isNumeric ? 'unclear' : 'not_a_number', candidates }
}

/** Reads the last separator as decimal point and separators before it as group separators; null if that is impossible. */
function asDecimal(text: string): string | null {
  const [, whole = '', mark = '', fraction = ''] = /^(.*)([.,٫])(\d*)$/.exec(text) ?? []
  const groups = splitAtGroups(whole)
  const isClear = groups.length === 1 ? DIGITS.test(whole) : isGrouped(groups, 3)
  return mark !== '' && isClear && !whole.includes(mark) ? joined(groups.join(''), fraction) : null
}

/** Reads all separators as group separators, in groups of three; null if that is impossible. */
function asGroups(text: string): string | null {
  const groups = splitAtGroups(text)
  return groups.length > 1 && isGrouped(groups, 3) ? joined(groups.join(''), '') : null
}

function splitAtGroups(text: string): readonly string[] {
  const [sign] = /[., '٬]/.exec(text) ?? []
  return sign === undefined ? [text] : text.split(sign)
}

/** The value of a plain decimal, cut after eighteen places. */
function cut(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return toAmount(fraction === '' ? whole : `${whole}.${fraction.slice(0, SCALE)}`) ?? 0n
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}

/** The text with ASCII digits and separators, without invisible characters. */
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

/** Converts a decimal digit of any script to ASCII. Unicode has each script's ten digits in one sequence. */
function asciiDigit(character: string): string {
  const code = character.codePointAt(0) ?? 0
  let before = 0
  while (DECIMAL_DIGIT.test(String.fromCodePoint(code - before - 1))) before += 1
  return String(before % 10)
}
