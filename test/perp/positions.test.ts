import { describe, expect, test } from 'bun:test'
import { ONE } from '../../src/core/decimals.ts'
import { heldQuantity, parsePositions } from '../../src/perp/positions.ts'

const row = (fields: object) => ({
  symbol: 'PERP_ETH_USDC',
  position_qty: 2,
  pending_long_qty: 0,
  pending_short_qty: 0,
  mark_price: 1000,
  ...fields,
})

describe('the positions of an account', () => {
  test('add up over both margin modes, and stay apart by mode', () => {
    const rows = [
      row({ margin_mode: 'CROSS' }),
      row({ margin_mode: 'ISOLATED', position_qty: -0.5 }),
      row({ symbol: 'PERP_BTC_USDC', position_qty: 7 }),
    ]
    const positions = parsePositions({ rows }) ?? []
    expect(heldQuantity(positions, 'PERP_ETH_USDC')).toBe((3n * ONE) / 2n)
    expect(heldQuantity(positions, 'PERP_ETH_USDC', 'CROSS')).toBe(2n * ONE)
    expect(heldQuantity(positions, 'PERP_ETH_USDC', 'ISOLATED')).toBe(-ONE / 2n)
    expect(heldQuantity(positions, 'PERP_SOL_USDC')).toBe(0n)
  })

  test('count what is to be sold without a sign, however the venue writes it', () => {
    const rows = [row({ pending_short_qty: -3 }), row({ pending_short_qty: 3 })]
    const sold = parsePositions({ rows })?.map(({ pendingSells }) => pendingSells)
    expect(sold).toEqual([3n * ONE, 3n * ONE])
  })

  test.each(['position_qty', 'pending_long_qty', 'pending_short_qty', 'mark_price'])(
    'are unknown as a whole if a row has no %s',
    (field) => {
      expect(parsePositions({ rows: [row({}), row({ [field]: null })] })).toBeNull()
      expect(parsePositions({ rows: [row({}), row({ [field]: 0 })] })).toHaveLength(2)
    },
  )
})
