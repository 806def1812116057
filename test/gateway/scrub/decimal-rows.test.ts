import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  chosenRows,
  decimalRows,
  lastRows,
  rowShape,
} from '../../../src/gateway/scrub/decimal-rows.ts'
import { createScrub } from '../../../src/gateway/scrub/scrub.ts'
import { runs } from '../../runs.ts'

const SHAPE = rowShape([
  ['open', 'decimal'],
  ['timestamp', 'time'],
])

function row(open: string, time = 1_777_500_000_000): string {
  return `{"open":"${open}","timestamp":${time}}`
}

function scanned(rows: readonly string[]) {
  const found = decimalRows(`[${rows}]`, 1, SHAPE)
  if (!found) throw new Error('no rows')
  return found
}

describe('rows of decimals', () => {
  test('are found from their first to the bracket of their list', () => {
    const { text, first, ends } = scanned([row('1'), row('2.50')])
    expect(text).toBe(`${row('1')},${row('2.50')}`)
    expect(first).toBe(row('1'))
    expect(ends).toEqual([first.length, text.length])
    expect(scanned([])).toMatchObject({ text: '', ends: [], first: '' })
  })

  test.each([
    ['a text', row('lifi')],
    ['a text that holds one', row('1.lifi')],
    ['an escape', row('\\u0031')],
    ['a number', '{"open":1,"timestamp":1777500000000}'],
    ['a decimal without digits', row('.')],
    ['another key', row('1').replace('open', 'opem')],
    ['a further key', row('1').replace('}', ',"x":"1"}')],
    ['a time that is no number of JSON', row('1').replace(':17', ':07')],
    ['a space', row('1').replace(':', ': ')],
  ])('are not found where one holds %s', (_, other) => {
    expect(decimalRows(`[${[row('1'), other, row('1')]}]`, 1, SHAPE)).toBeNull()
    expect(decimalRows(`[${[row('1'), other]}`, 1, SHAPE)).toBeNull()
  })

  test('are cut to the last, or put in another order', () => {
    const rows = ['1', '2', '3'].map((open) => row(open))
    const all = scanned(rows)
    for (const count of [1, 2, 3, 9]) {
      const last = scanned(rows.slice(-count))
      const { text, first, ends } = lastRows(all, count)
      expect({ text, first, ends }).toEqual({
        text: last.text,
        first: last.first,
        ends: [...last.ends],
      })
    }
    const { text, first, ends } = chosenRows(all, [2, 0])
    expect(text).toBe(`${row('3')},${row('1')}`)
    expect(first).toBe(row('3'))
    expect(ends).toEqual([first.length, text.length])
    expect(chosenRows(all, []).text).toBe('')
  })

  test('are scrubbed as they would be as a text, whatever a venue is called', () => {
    const names = fc.subarray(['Acme', '777', '7.77', 'Open', 'time-stamp', 'rows', '1', 'e'])
    const decimal = fc.constantFrom('777', '7.77', '0.777', '1', '1.10', '123456.789')
    const rows = fc.array(decimal, { maxLength: 12 })
    const after = fc.constantFrom(']}', '],"name":"Acme"}', '],"broker_id":1}', '],"x":"777"}')
    fc.assert(
      fc.property(names, rows, after, (extra, values, end) => {
        const scrub = createScrub({ names: extra })
        const list = values.map((value) => row(value))
        for (const audience of ['public', 'private'] as const) {
          expect(scrub.around('{"rows":[', scanned(list), end, { audience }).text()).toBe(
            scrub.text(`{"rows":[${list}${end}`, { audience }).text(),
          )
        }
      }),
      { numRuns: runs(60) },
    )
  })
})
