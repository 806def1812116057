import { describe, expect, test } from 'bun:test'
import { readExact } from '../../src/pages/common/exact-json.ts'
import { closedPositions } from '../../src/pages/trade/account/closed-positions.ts'
import {
  nextSort,
  rowsInOrder,
  sortedRows,
} from '../../src/pages/trade/views/account/list-order.ts'
import { amountText } from '../../src/perp/amounts.ts'

describe('the order of a list', () => {
  test('begins with the largest figure, then with the smallest, and is then the venue’s again', () => {
    const first = nextSort(undefined, 'PnL', 5n)
    const second = nextSort(first, 'PnL', 5n)
    expect([first, second, nextSort(second, 'PnL', 5n)]).toEqual([
      { name: 'PnL', isDown: true },
      { name: 'PnL', isDown: false },
      undefined,
    ])
  })

  test('begins with A for names, and anew for another column', () => {
    const byName = nextSort({ name: 'PnL', isDown: false }, 'Market', 'ETH')
    expect(byName).toEqual({ name: 'Market', isDown: false })
    expect(nextSort(byName, 'Market', 'ETH')).toEqual({ name: 'Market', isDown: true })
  })

  test.each([true, false])('has rows without a value last (largest first: %p)', (isDown) => {
    const rows = [null, 2n, 10n, null, 9n]
    const sorted = sortedRows(rows, (row) => row, isDown)
    expect(sorted.slice(3)).toEqual([null, null])
    expect(sorted.slice(0, 3)).toEqual(isDown ? [10n, 9n, 2n] : [2n, 9n, 10n])
    expect(rows[0]).toBeNull()
  })

  test('compares figures that no float can tell apart, and keeps equal rows as they were', () => {
    const [small, large] = [10n ** 36n, 10n ** 36n + 1n]
    expect(sortedRows([small, large], (row) => row, true)).toEqual([large, small])
    const equal = [{ id: 1 }, { id: 2 }]
    expect(sortedRows(equal, () => 'same', true)).toEqual(equal)
  })

  test('is kept by key, with new rows last and without rows that have gone', () => {
    expect(rowsInOrder(['a', 'b', 'new'], ['gone', 'b', 'a'], (row) => row)).toEqual([
      'b',
      'a',
      'new',
    ])
  })
})

describe('a closed position', () => {
  const row = (text: string) => closedPositions(readExact(`{"rows":[${text}]}`))[0]

  test('counts every fee, and funding that was paid as a loss', () => {
    const closed = row(
      '{"position_id":7,"type":"liquidated","side":"SHORT","closed_position_qty":0.5,"realized_pnl":-3.25,' +
        '"trading_fee":0.1,"insurance_fund_fee":0.02,"liquidator_fee":0.03,"accumulated_funding_fee":0.4}',
    )
    expect(closed).toMatchObject({ id: '7', type: 'liquidated', isLong: false })
    const amounts = [closed?.pnl, closed?.fees, closed?.funding].map((each) =>
      amountText(each ?? 0n),
    )
    expect(amounts).toEqual(['-3.25', '-0.15', '-0.4'])
  })

  test('without fees and funding in its row has unknown ones, and with zeros has none', () => {
    const text = '"position_id":8,"type":"active","side":"LONG","close_timestamp":5'
    const unknown = { pnl: null, fees: null, funding: null }
    expect(row(`{${text}}`)).toMatchObject({ ...unknown, isLong: true, closedAtMs: 5 })
    const zeros =
      '"trading_fee":0,"insurance_fund_fee":0,"liquidator_fee":0,"accumulated_funding_fee":0'
    expect(row(`{${text},"realized_pnl":1,${zeros}}`)).toMatchObject({ fees: 0n, funding: 0n })
  })
})
