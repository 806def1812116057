import { describe, expect, test } from 'bun:test'
import { readToml, TomlError } from '../../src/settings/toml.ts'

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
    expect(error).toBeInstanceOf(TomlError)
    expect(error).toMatchObject({ message: `line ${line} is not TOML` })
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
