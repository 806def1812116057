import { describe, expect, test } from 'bun:test'
import { readExact } from '../../src/pages/common/exact-json.ts'
import { csvText, readHistory } from '../../src/pages/trade/portfolio/records.ts'
import { rejection } from '../rejection.ts'

describe('a CSV', () => {
  test('has the venue’s names and its numbers to the digit, a column for every member of any row', () => {
    const rows = readExact(
      '[{"id":12345678901234567890,"fee":1.50,"tag":null},{"id":2,"maker":true}]',
    )
    expect(csvText(Array.isArray(rows) ? rows : [])).toBe(
      'id,fee,tag,maker\r\n12345678901234567890,1.50,,\r\n2,,,true\r\n',
    )
  })

  test.each([
    ['a comma', 'a,b', '"a,b"'],
    ['a quote', 'a"b', '"a""b"'],
    ['a line', 'a\nb', '"a\nb"'],
    ['a formula', '=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
    ['a formula behind a sign', '-1+cmd', "'-1+cmd"],
    ['a negative number, which stays one', '-1.5e-7', '-1.5e-7'],
    ['a list', ['1', null], '"[""1"",null]"'],
  ] as const)('keeps %s', (_, value, cell) => {
    expect(csvText([{ a: value }])).toBe(`a\r\n${cell}\r\n`)
  })

  test('of nothing is a line without columns', () => {
    expect(csvText([])).toBe('\r\n')
  })
})

describe('a history', () => {
  /** A venue with so many rows, which answers them by page and size. */
  function venue(total: number) {
    const asked: string[] = []
    const read = async (path: string) => {
      asked.push(path)
      const query = new URLSearchParams(path.split('?')[1])
      const [page, size] = [Number(query.get('page')), Number(query.get('size'))]
      const count = Math.max(0, Math.min(size, total - (page - 1) * size))
      return {
        meta: { total: String(total) },
        rows: Array.from({ length: count }, (__, at) => ({ at: String((page - 1) * size + at) })),
      }
    }
    return { asked, read }
  }

  test.each([
    [0, 1],
    [499, 1],
    [500, 1],
    [501, 2],
    [2000, 4],
  ])('of %d rows is whole after %d pages', async (total, pages) => {
    const { asked, read } = venue(total)
    const { rows, isWhole } = await readHistory('funding', read)
    expect([rows.length, isWhole, asked.length]).toEqual([total, true, pages])
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(total)
  })

  test('that is longer than four pages is said to be a part', async () => {
    const { asked, read } = venue(2001)
    const { rows, isWhole } = await readHistory('orders', read)
    expect([rows.length, isWhole, asked.length]).toEqual([2000, false, 4])
  })

  test('of fills is a part where it is as long as the venue keeps it', async () => {
    expect((await readHistory('fills', venue(499).read)).isWhole).toBe(true)
    expect((await readHistory('fills', venue(500).read)).isWhole).toBe(false)
  })

  test('that the venue answers at once is read once, from the member that has the rows', async () => {
    const asked: string[] = []
    const read = async (path: string) => {
      asked.push(path)
      return { holding: [{ token: 'USDC' }], rows: [{ no: 'token' }] }
    }
    expect(await readHistory('balances', read)).toEqual({
      rows: [{ token: 'USDC' }],
      isWhole: true,
    })
    expect(asked).toEqual(['/v1/client/holding'])
  })

  test('with a query of its own keeps it on every page', async () => {
    const { asked, read } = venue(501)
    await readHistory('order-history', read)
    expect(asked).toEqual([
      '/v1/orders?status=COMPLETED&page=1&size=500',
      '/v1/orders?status=COMPLETED&page=2&size=500',
    ])
  })

  test('that the venue refuses is refused', async () => {
    const refusing = async () => Promise.reject(new RangeError('no'))
    expect(`${await rejection(readHistory('transfers', refusing))}`).toContain('no')
  })
})
