import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { EntryError, withMember } from '../../../src/operator/account/jsonc.ts'

const SERVER = { command: 'prepd', args: ['--mode', 'mcp'] }
const added = (text: string) => withMember(text, 'mcpServers', 'prepd', SERVER, false)

describe('a member is added to', () => {
  test.each([
    ['nothing', '', '{\n  "mcpServers": {\n    "prepd": {}\n  }\n}\n'],
    ['an empty object', '{}', '{\n  "mcpServers": {\n    "prepd": {}\n  }\n}'],
    [
      'a file with tabs and comments, each of which stays where it is',
      '// mine\n{\n\t"a": 1, // one "{,}"\n\t"mcpServers": {\n\t\t"b": {} /* two */\n\t\t// three\n\t},\n}\n',
      '// mine\n{\n\t"a": 1, // one "{,}"\n\t"mcpServers": {\n\t\t"b": {}, /* two */\n\t\t// three\n\t\t"prepd": {}\n\t},\n}\n',
    ],
    [
      'a group with a trailing comma',
      '{"mcpServers": {"b": 1,}}',
      '{"mcpServers": {"b": 1,\n  "prepd": {}\n}}',
    ],
    [
      'a file of Windows, in its own newlines',
      '{\r\n    "theme": "x"\r\n}\r\n',
      '{\r\n    "theme": "x",\r\n    "mcpServers": {\r\n        "prepd": {}\r\n    }\r\n}\r\n',
    ],
  ])('%s', (_, text, after) => {
    expect(withMember(text, 'mcpServers', 'prepd', {}, false)).toBe(after)
  })

  // Slow: two hundred documents are generated.
  test('any JSON object, of which nothing else changes', () => {
    const keyed = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
    const groups = fc.option(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })))
    fc.assert(
      fc.property(keyed, groups, fc.constantFrom(undefined, 1, 2, '\t'), (rest, group, indent) => {
        const { mcpServers, ...others } = rest
        const before = group === null ? others : { ...others, mcpServers: group }
        fc.pre(!Object.hasOwn(group ?? {}, 'prepd'))
        const after: unknown = JSON.parse(added(JSON.stringify(before, null, indent)))
        const expected = { ...before, mcpServers: { ...group, prepd: SERVER } }
        expect(JSON.stringify(after)).toBe(JSON.stringify(JSON.parse(JSON.stringify(expected))))
      }),
      { numRuns: 200, seed: 3 },
    )
  })
})

test.each([
  ['{', 'not a JSON object'],
  ['[]', 'not a JSON object'],
  ['null', 'not a JSON object'],
  ['{"a": 1} {"b": 2}', 'not a JSON object'],
  ['{"a": 1 /* open }', 'not a JSON object'],
  ["{'a': 1}", 'not a JSON object'],
  ['{"mcpServers": []}', '"mcpServers" is not a JSON object'],
  ['{"mcpServers": {"prepd": {}}}', '"mcpServers" has "prepd" already'],
])('%p is refused: %s', (text, reason) => {
  const refused = () => added(text)
  expect(refused).toThrow(EntryError)
  expect(refused).toThrow(reason)
})
