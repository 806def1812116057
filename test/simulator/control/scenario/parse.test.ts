import { describe, expect, test } from 'bun:test'
import {
  parseScenario,
  scenarioProblems,
} from '../../../../src/simulator/control/scenario/parse.ts'
import { shipped } from './stage.ts'

const REFUSED: readonly (readonly [text: string, where: string, why: RegExp])[] = [
  ['soon price shock symbol=all share=1%', 'line 1, column 1', /time/],
  ['0s', 'line 1, column 4', /no such word/],
  ['\n0s  prise shock symbol=all', 'line 2, column 5', /no such word; there are clock advance/],
  ['0s price shock symbol=all', 'line 1, column 4', /share must be a share/],
  ['0s price shock symbol=all share=-99%', 'line 1, column 27', /share must be a share/],
  ['0s price shock symbol=all share=1% x=2', 'line 1, column 36', /x must be one of symbol, share/],
  ['2s hash\n1s hash', 'line 2, column 1', /before that of the line above/],
  ['0s reset', 'line 1, column 4', /reset cannot be a line/],
  ['0s restore name=a', 'line 1, column 4', /restore cannot be a line/],
]

describe('a scenario’s text', () => {
  test.each([...REFUSED])('%p is refused, with its line and column', (text, where, why) => {
    const [problem, ...others] = scenarioProblems('file.txt', () => text)
    expect(others).toEqual([])
    expect(problem).toStartWith(`PREPD_VENUE_SCENARIO: file.txt: ${where}: `)
    expect(problem).toMatch(why)
  })

  test('remarks and empty lines say nothing; parameters stand in any order', () => {
    const text = '# remark\n\n5m  price   shock share=10% symbol=all # more\n'
    const [line, ...others] = parseScenario(text)
    expect(others).toEqual([])
    expect(line).toMatchObject({ number: 3, offsetMs: 300_000, name: 'price shock' })
  })

  test('a file that cannot be read is a problem, none is not', () => {
    expect(scenarioProblems('gone.txt', () => null)).toEqual([
      'PREPD_VENUE_SCENARIO names a file that cannot be read, or is larger than 1 MiB: gone.txt',
    ])
    expect(scenarioProblems(null, () => null)).toEqual([])
  })

  test('those that ship can be read', () => {
    for (const name of ['calm', 'crash', 'squeeze', 'delisting', 'outage', 'funding-spike'])
      expect(parseScenario(shipped(name)).length).toBeGreaterThan(0)
  })
})
