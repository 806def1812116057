import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { namePattern } from '../../../src/gateway/scrub/name-pattern.ts'
import { createWholeNameTest } from '../../../src/gateway/scrub/whole-name.ts'
import { runs } from '../../runs.ts'

const letters = fc.constantFrom('a', 'b', 'B', 'C', '0', '9')
const gaps = fc.constantFrom('', '', '', ' ', '.', '—', 'ſ', 'K', 'é', '\n', '\u{1f600}', '\0')
const words = fc
  .array(fc.tuple(gaps, letters, gaps), { maxLength: 5 })
  .map((parts) => parts.flat().join(''))

describe('a test for whole names', () => {
  const names = ['relay.link', 'Relay-Link Two', '0x', 'ab', 'abc', 'z', '', '—']
  const isName = createWholeNameTest(names)

  test('finds each of them, in any case and punctuation', () => {
    for (const text of ['RELAYLINK', ' r e l a y — l i n k ', '"0X"', 'a.b.', 'ABC', 'Z', '(z)']) {
      expect([text, isName(text)]).toEqual([text, true])
    }
  })

  test('finds no beginning, end or mixture of them, and nothing without a letter', () => {
    for (const text of ['', '-', 'a', 'relay', 'relaylinktw', 'xab', 'abcd', '0', 'zz', '…']) {
      expect([text, isName(text)]).toEqual([text, false])
    }
  })

  test('finds what a pattern of the names matches as a whole, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(words, { maxLength: 6 }), words, (own, text) => {
        const pattern = new RegExp(`^${namePattern(own, '[^a-z0-9]*', '$')}`, 'i')
        const known = own.some((name) => /[a-z0-9]/i.test(name))
        expect(createWholeNameTest(own)(text)).toBe(known && pattern.test(text))
      }),
      { numRuns: runs(400) },
    )
  })
})
