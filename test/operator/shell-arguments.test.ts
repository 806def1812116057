import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { shellArgument, shellArguments } from '../../src/operator/shell/arguments.ts'

describe('a command is split as a shell splits it', () => {
  test.each([
    ['node agent.mjs', ['node', 'agent.mjs']],
    ['  node\t agent.mjs \n', ['node', 'agent.mjs']],
    [`node 'my agent.mjs' "a b"`, ['node', 'my agent.mjs', 'a b']],
    [`sh -c 'echo "$HOME"'`, ['sh', '-c', 'echo "$HOME"']],
    [`a'b c'd"e f"`, ['ab cde f']],
    [String.raw`a\ b "\"\\\$\n" '\n'`, ['a b', String.raw`"\$\n`, String.raw`\n`]],
    [`'' ""`, ['', '']],
    ['', []],
  ])('%j', (text, words) => {
    expect(shellArguments(text)).toEqual(words)
    const printed = Bun.spawnSync(['sh', '-c', `printf '%s\\0' ${text.trim()}`]).stdout.toString()
    const expected = words.length > 0 ? words.join('\0') : ''
    expect(printed.slice(0, -1)).toBe(expected)
  })

  test.each([`node 'agent`, `node "agent`, String.raw`node "agent\"`, 'node \\'])(
    '%j is none',
    (text) => expect(shellArguments(text)).toBeNull(),
  )

  test('any words are read back from how they are shown', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        expect(shellArguments(words.map(shellArgument).join(' '))).toEqual(words)
      }),
    )
  })
})
