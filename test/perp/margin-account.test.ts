import { describe, expect, test } from 'bun:test'
import { ONE } from '../../src/core/decimals.ts'
import { accountAtRows, toMarginAccount, unreadablePart } from '../../src/perp/margin-account.ts'

const ANSWER = { total_collateral_value: '500', free_collateral: '400' }

const POSITION = {
  ...{ symbol: 'PERP_ETH_USDC', margin_mode: 'CROSS', position_qty: 1, mark_price: 1000 },
  ...{ pending_long_qty: 0, pending_short_qty: 0, cost_position: 990, leverage: 10 },
  ...{ mmr: 0.006, IMR_withdraw_orders: 0.1 },
}
const ISOLATED = { ...POSITION, margin_mode: 'ISOLATED', margin: 100 }
const ORDER = { symbol: 'PERP_BTC_USDC', order_id: 17, quantity: 2, price: 5, side: 'BUY' }

const without = (row: object, field: string) => ({ ...row, [field]: null })

describe('the margin of an account', () => {
  test.each([
    ['a position without a quantity', [without(POSITION, 'position_qty')], []],
    ['a position without a cost', [without(POSITION, 'cost_position')], []],
    ['a cross position without its maintenance rate', [without(POSITION, 'mmr')], []],
    ['a cross position without its initial rate', [without(POSITION, 'IMR_withdraw_orders')], []],
    ['an isolated position without its margin', [without(ISOLATED, 'margin')], []],
    ['an order without a quantity', [POSITION], [without(ORDER, 'quantity')]],
  ])('is unknown with %s, and the row is named', (_, rows, orders) => {
    expect(toMarginAccount([ANSWER], [ISOLATED, ...rows], orders)).toBeNull()
    expect(unreadablePart([ISOLATED, ...rows], orders)).toEqual(
      orders.length > 0
        ? { part: 'order', name: '17' }
        : { part: 'position', name: 'PERP_ETH_USDC' },
    )
  })

  test('is unknown without the collateral, while all rows can be read', () => {
    const answer = without(ANSWER, 'free_collateral')
    expect(toMarginAccount([answer], [POSITION], [ORDER])).toBeNull()
    expect(unreadablePart([POSITION], [ORDER])).toEqual({ part: 'collateral', name: '' })
  })

  test.each([
    ['a cross position without a margin of its own', POSITION, 'margin'],
    ['an isolated position without rates', ISOLATED, 'mmr'],
  ])('is known with %s, which does not depend on it', (_, row, field) => {
    expect(toMarginAccount([ANSWER], [without(row, field)], [ORDER])?.free).toBe(400n * ONE)
  })

  test('follows newer rows and mark prices, and is unknown once one of them is unreadable', () => {
    const account = toMarginAccount([ANSWER], [POSITION], [])
    if (!account) throw new Error('unknown')
    const marks = new Map([['PERP_ETH_USDC', 1010n * ONE]])
    expect(accountAtRows(account, [POSITION], marks)?.collateral).toBe(510n * ONE)
    expect(accountAtRows(account, [POSITION], new Map())?.collateral).toBe(500n * ONE)
    expect(accountAtRows(account, [without(POSITION, 'mmr')], marks)).toBeNull()
  })
})
