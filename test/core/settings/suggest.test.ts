import { describe, expect, test } from 'bun:test'
import { suggest } from '../../../src/core/settings/suggest.ts'

const WORDS = ['listen', 'ops-listen', 'log', 'points', 'venue', 'venue-vaults']

describe('a suggestion', () => {
  test.each([
    ['lisen', 'listen'],
    ['lsiten', 'listen'],
    ['LISTEN', 'listen'],
    ['lgo', 'log'],
    ['venu', 'venue'],
    ['venue_vault', 'venue-vaults'],
    ['ops-', 'ops-listen'],
    ['POIN', 'points'],
  ])('for %s is %s', (word, expected) => {
    expect(suggest(word, WORDS)).toBe(expected)
  })

  test('is the nearest where several words begin so', () => {
    expect(suggest('venu', WORDS)).toBe('venue')
    expect(suggest('--data', ['--rate', '--data-dir', '--data-keys'])).toBe('--rate')
    expect(suggest('--data', ['--rate', '--data-dir'])).toBe('--data-dir')
  })

  test.each(['', 'x', 'ops', 'database', 'x'.repeat(100_000)])(
    'is not made for a word that is far from all',
    (word) => {
      expect(suggest(word, WORDS)).toBeUndefined()
    },
  )
})
