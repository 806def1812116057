import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { localeSigns, readNumber, writeNumber } from '../../src/pages/common/read-number.ts'
import { amountText, toAmount } from '../../src/perp/amounts.ts'

// biome-ignore format: a row
const LOCALES = [
  'en-US', 'en-IN', 'en-ZA', 'de-DE', 'de-CH', 'de-AT', 'fr-FR', 'fr-CH', 'it-IT', 'es-ES', 'pt-PT', 'pl-PL', 'sv-SE',
  'ru-RU', 'ar-EG', 'ar-MA', 'fa-IR', 'hi-IN', 'mr-IN', 'bn-BD', 'my-MM', 'ja-JP', 'he-IL', 'et-EE',
] as const

const PLACES = 18

/** A decimal with its value at eighteen places. */
const DECIMAL = fc
  .record({
    whole: fc.bigInt({ min: 0n, max: 10n ** 10n }),
    fraction: fc.stringMatching(/^\d{0,18}$/),
  })
  .map(({ whole, fraction }) => {
    const text = fraction === '' ? String(whole) : `${whole}.${fraction}`
    return { text, value: toAmount(text) ?? -1n, places: fraction.length }
  })

type Decimal = { readonly text: string; readonly places: number }

/** The independent model: the text that the browser's own formatter writes. */
function written({ text, places }: Decimal, locale: string, useGrouping: boolean): string {
  const format = new Intl.NumberFormat(locale, {
    useGrouping,
    minimumFractionDigits: places,
    maximumFractionDigits: PLACES,
  })
  return format.format(text as Intl.StringNumericLiteral)
}

/** Digits of which so many, at most eighteen, are decimal places. */
function valueAt(digits: string, places: number): bigint {
  return (BigInt(digits) * 10n ** BigInt(PLACES)) / 10n ** BigInt(places)
}

function read(text: string, locale: string) {
  const reading = readNumber(text, localeSigns(locale))
  return reading.kind === 'value' ? amountText(reading.value) : reading.kind
}

const FULL_WIDTH: Readonly<Record<string, string>> = { '.': '．', ',': '，', "'": '＇' }

function inFullWidth(text: string): string {
  return text.replace(/[0-9.,']/g, (sign) => FULL_WIDTH[sign] ?? digitIn('０', sign))
}

function digitIn(zero: string, digit: string): string {
  return String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit))
}

describe.each(LOCALES)('a number in %s', (locale) => {
  test('is read as the formatter wrote it, or refused where it has two readings', () => {
    fc.assert(
      fc.property(DECIMAL, fc.boolean(), (decimal, isGrouped) => {
        const text = written(decimal, locale, isGrouped)
        const reading = readNumber(text, localeSigns(locale))
        if (reading.kind === 'value') expect(reading.value).toBe(decimal.value)
        else {
          expect(reading.kind).toBe('ambiguous')
          expect(text).toMatch(/^[1-9]\d{0,2}\.\d{3}$/)
          expect(Object(reading).candidates).toContain(decimal.value)
        }
      }),
    )
  })

  test('is the same pasted with spaces and marks, in full width and in Arabic digits', () => {
    fc.assert(
      fc.property(DECIMAL, fc.boolean(), (decimal, isGrouped) => {
        const text = written(decimal, locale, isGrouped)
        const plain = read(text, locale)
        const latin = written(decimal, `${locale}-u-nu-latn`, isGrouped)
        const variants = [
          `  ${text}\n`,
          `\u200f${text}\u2069`,
          text.replaceAll('\u202f', '\u00a0'),
          inFullWidth(text),
          text.replace(/[0-9]/g, (digit) => digitIn('٠', digit)),
          text.replace(/[0-9]/g, (digit) => digitIn('۰', digit)),
        ]
        for (const variant of variants) expect(read(variant, locale)).toBe(plain)
        // Latin digits bring signs of their own in some locales: a keyboard may have either.
        expect([amountText(decimal.value), 'ambiguous', 'unclear']).toContain(read(latin, locale))
      }),
    )
  })

  test('that the page writes into an input is read back', () => {
    fc.assert(
      fc.property(DECIMAL, ({ value }) => {
        const signs = localeSigns(locale)
        expect(readNumber(writeNumber(value, signs), signs)).toEqual({ kind: 'value', value })
      }),
    )
  })

  test('is never another than its signs say, whatever is typed', () => {
    const typed = fc.stringMatching(/^[0-9.,' ]{1,9}$/)
    fc.assert(
      fc.property(typed, (text) => {
        const reading = readNumber(text, localeSigns(locale))
        if (reading.kind !== 'value') return
        const digits = text.replace(/\D/g, '')
        const [, fraction = ''] = /[.,](\d*)$/.exec(text.trim()) ?? []
        const wanted = [valueAt(digits, fraction.length)]
        // Only a group of three digits may come last.
        if (/(?:^|\D)\d{3}$/.test(text.trim())) wanted.push(valueAt(digits, 0))
        expect(wanted).toContain(reading.value)
      }),
    )
  })
})

describe('what is typed', () => {
  test.each([
    ['en-US', '1,5', 'unclear', ['1.5']],
    ['en-US', '2,50', 'unclear', ['2.5']],
    ['en-US', '61000,5', 'unclear', ['61000.5']],
    ['en-US', '61.259,80', 'unclear', ['61259.8']],
    ['en-US', '1.234.567', 'unclear', ['1234567']],
    ['en-US', '12,34,567', 'unclear', []],
    ['en-US', '1 5', 'unclear', []],
    ['de-DE', '1.125', 'ambiguous', ['1125', '1.125']],
    ['de-DE', '61,259.80', 'unclear', ['61259.8']],
    ['ar-EG', '1,125', 'unclear', ['1.125', '1125']],
    ['en-US', '0.1234567890123456789', 'too_fine', ['0.123456789012345678']],
    ['en-US', 'abc', 'not_a_number', []],
    ['en-US', '-5', 'not_a_number', []],
    ['en-US', '1e5', 'not_a_number', []],
    ['en-US', '1²', 'not_a_number', []],
    ['en-US', '.', 'not_a_number', []],
  ])('%s %s is refused as %s with what may be meant', (locale, text, kind, candidates) => {
    const reading = Object(readNumber(text, localeSigns(locale)))
    expect(reading.kind).toBe(kind)
    expect(reading.candidates.map(amountText)).toEqual(candidates)
  })

  test.each([
    ['en-US', '1,500', '1500'],
    ['en-US', '.5', '0.5'],
    ['en-US', '5.', '5'],
    ['en-US', '1 500', '1500'],
    ['en-US', '٫٥', '0.5'],
    ['de-DE', '1,5', '1.5'],
    ['de-DE', '1.5', '1.5'],
    ['de-DE', '1,125', '1.125'],
    ['de-DE', '0.125', '0.125'],
    ['de-DE', '1.234.567,8', '1234567.8'],
    ['en-IN', '12,34,567.5', '1234567.5'],
    ['en-IN', '123,456', '123456'],
    ['fr-FR', '1.125', '1.125'],
    ['de-CH', '1’234.5', '1234.5'],
    ['no tag', '1.5', '1.5'],
  ])('%s %s is %s', (locale, text, wanted) => {
    expect(read(text, locale)).toBe(wanted)
  })

  test('is nothing when it is empty', () => {
    expect(readNumber(' \u200f ', localeSigns('en-US'))).toEqual({ kind: 'empty' })
  })
})
