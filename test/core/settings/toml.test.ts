// Slow: a long text is read again for each part in which its broken line may be.
import { describe, expect, test } from 'bun:test'
import { readToml } from '../../../src/core/settings/toml.ts'
import { UsageError } from '../../../src/core/settings/usage-error.ts'

describe('a TOML text', () => {
  test('gives its top-level keys', () => {
    expect(readToml('a = 1\nb = "x" # why\nc = ["y"]\n')).toEqual({ a: 1, b: 'x', c: ['y'] })
  })

  test.each([
    ['a = canary', 1],
    ['a = 1\n\nb = "canary', 3],
    ['a = 1\nb = 2\na = "canary"\nc = 3', 3],
    ['a = [\n"canary",\n"y"\n]\nb =', 5],
  ])('that is broken is refused by line, without quoting it: %p', (text, line) => {
    const error = caught(() => readToml(text))
    expect(error).toBeInstanceOf(UsageError)
    expect(error).toMatchObject({ message: `line ${line} is not TOML` })
  })
})

describe('the bounds of a TOML text', () => {
  const keys = (count: number): string =>
    Array.from({ length: count }, (_, at) => `k${at} = 1`).join('\n')

  test('admit 4,000 keys and no more, in any spelling', () => {
    expect(Object.keys(readToml(keys(4000)))).toHaveLength(4000)
    for (const text of [keys(4001), `a = {${keys(4000).replaceAll('\n', ',')}}`, '[['.repeat(2001)])
      expect(caught(() => readToml(text))).toMatchObject({
        message: 'it holds more than 4000 keys and tables',
      })
  })

  test('leave the broken line of a long text to be found at once, behind statements of several lines', () => {
    const list = 'list = [\n"a",\n"b",\n]\n'
    const text = `${list}${keys(3900)}\nnext = ${list.slice(7)}broken =\n${'# more\n'.repeat(5000)}`
    const startedMs = performance.now()
    expect(caught(() => readToml(text))).toMatchObject({ message: 'line 3909 is not TOML' })
    expect(performance.now() - startedMs).toBeLessThan(20_000)
  })
})

function caught(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}
