import { describe, expect, test } from 'bun:test'
import { namePattern } from '../../../src/gateway/scrub/name-pattern.ts'

function matches(names: readonly string[], text: string): boolean {
  return new RegExp(`^${namePattern(names, '[^a-z0-9]*', '$')}`, 'i').test(text)
}

describe('a pattern of names', () => {
  const names = ['relay.link', 'Relay-Link Two', '0x', 'ab', 'abc', 'abd']

  test('matches each name as a whole, in any case and punctuation', () => {
    for (const text of [...names, 'RELAYLINK', ' r e l a y — l i n k ', '"0X"', 'a.b.', 'ABD']) {
      expect(matches(names, text)).toBe(true)
    }
  })

  test('matches no beginning, end or mixture of names', () => {
    for (const text of ['', '-', 'a', 'relay', 'relaylinktw', 'xrelaylink', 'abcd', '0', 'abe']) {
      expect(matches(names, text)).toBe(false)
    }
  })

  test('ignores names without a letter or digit, which would match every text of punctuation', () => {
    expect(matches(['', '—', 'ab'], '...')).toBe(false)
    expect(matches(['', '—', 'ab'], 'ab')).toBe(true)
  })
})
