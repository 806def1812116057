import { describe, expect, test } from 'bun:test'
import { suggest } from '../../src/settings/suggest.ts'

const WORDS = ['listen', 'ops-listen', 'log', 'points', 'venue', 'venue-vaults']

describe('a suggestion', () => {
  test.each([
    ['lisen', 'listen'],
    ['lsiten', 'listen'],
    ['LISTEN', 'listen'],
    ['lgo', 'log'],
    ['venu', 'venue'],
    ['venue_vault', 'venue-vaults'],
  ])('for %s is %s', (word, expected) => {
    expect(suggest(word, WORDS)).toBe(expected)
  })

  test.each(['', 'x', 'database', 'x'.repeat(100_000)])(
    'is not made for a word that is far from all',
    (word) => {
      expect(suggest(word, WORDS)).toBeUndefined()
    },
  )
})
