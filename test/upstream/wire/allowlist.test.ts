import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RELAY_PATHS } from '../../../src/contract/allowlist.ts'
import { Failure } from '../../../src/core/failure.ts'
import { matchRelay } from '../../../src/upstream/wire/allowlist.ts'
import { runs } from '../../runs.ts'
import vectors from '../../vectors/allowlist.json' with { type: 'json' }

const shown = (text: string) => JSON.stringify(text)

describe('a listed path passes', () => {
  for (const { method, path, why } of vectors.allowed) {
    test(`${method} ${shown(path)}: ${why}`, () => {
      const match = matchRelay(method, path)
      expect(match.writes).toBe(method !== 'GET')
      expect(path.startsWith(match.template.replace(/\{.*/, ''))).toBeTrue()
    })
  }
})

describe('a near miss is forbidden', () => {
  for (const { method, path, why } of vectors.refused) {
    test(`${shown(method)} ${shown(path)}: ${why}`, () => {
      expect(codeOf(method, path)).toBe('forbidden')
    })
  }
})

describe('the vectors', () => {
  test('cover every listed path with every method it takes', () => {
    const covered = new Set(
      vectors.allowed.map(({ method, path }) => `${method} ${matchRelay(method, path).template}`),
    )
    const listed = RELAY_PATHS.flatMap(({ path, methods, words = {} }) =>
      [...methods, ...Object.values(words).flat()].map((method) => `${method} ${path}`),
    )
    expect([...covered].sort()).toEqual([...new Set(listed)].sort())
  })

  test('have at least 150 near misses, each once', () => {
    const rows = vectors.refused.map(({ method, path }) => JSON.stringify([method, path]))
    expect(new Set(rows).size).toBe(rows.length)
    expect(rows.length).toBeGreaterThanOrEqual(150)
  })
})

describe('a match', () => {
  test('says which row let it through', () => {
    expect(matchRelay('GET', '/v1/position/PERP_ETH_USDC?margin_mode=CROSS')).toEqual({
      template: '/v1/position/{symbol}',
      writes: false,
      cancels: false,
    })
  })

  test('counts as a cancel only where it takes orders off the book', () => {
    const cancels = vectors.allowed
      .filter(({ method, path }) => matchRelay(method, path).cancels)
      .map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`)
    expect([...new Set(cancels)].sort()).toEqual([
      'DELETE /v1/algo/order',
      'DELETE /v1/algo/orders',
      'DELETE /v1/batch-order',
      'DELETE /v1/order',
      'DELETE /v1/orders',
    ])
  })
})

const METHODS = ['GET', 'POST', 'PUT', 'DELETE']

describe('whatever is sent', () => {
  test('what passes is not rewritten by a URL parser, and what does not pass is forbidden', () => {
    fc.assert(
      fc.property(fc.constantFrom(...METHODS), nearPath(), (method, path) => {
        const code = codeOf(method, path)
        if (code) return expect(code).toBe('forbidden')
        const url = new URL(path, 'https://x.invalid')
        expect(url.pathname + url.search).toBe(path)
        expect(url.host).toBe('x.invalid')
        expect(path).toMatch(/^\/v1\/[\x21-\x7e]+$/)
      }),
      { numRuns: runs(500) },
    )
  })

  test('no string is answered with anything but a match or forbidden', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (method, path) => {
        expect(codeOf(method, path)).toBe('forbidden')
      }),
    )
  })
})

/** A listed path with up to three characters put in, taken out or replaced, so that most are near misses. */
function nearPath(): fc.Arbitrary<string> {
  const listed = fc.constantFrom(...vectors.allowed.map(({ path }) => path))
  const piece = fc.oneof(
    fc.constantFrom(
      '',
      '/',
      '.',
      '..',
      '%2e',
      '%2F',
      '?',
      '#',
      '\\',
      '\t',
      '\n',
      ' ',
      ';',
      '@',
      "'",
      '1',
      'A',
    ),
    fc.string({ unit: 'binary', maxLength: 2 }),
  )
  const edit = fc.record({ at: fc.nat(60), cut: fc.nat(1), piece })
  return fc
    .tuple(listed, fc.array(edit, { maxLength: 3 }))
    .map(([path, edits]) =>
      edits.reduce(
        (text, { at, cut, piece: put }) => text.slice(0, at) + put + text.slice(at + cut),
        path,
      ),
    )
}

function codeOf(method: string, path: string): string | undefined {
  try {
    matchRelay(method, path)
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}
