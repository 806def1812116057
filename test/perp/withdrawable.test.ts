import { expect, test } from 'bun:test'
import { withdrawableUsdc } from '../../src/perp/withdrawable.ts'

test('the smaller of holding and free collateral can be withdrawn, and a profit only once it is settled', () => {
  expect(withdrawableUsdc(100n, 80n, 0n)).toBe(80n)
  expect(withdrawableUsdc(100n, 120n, 30n)).toBe(90n)
  expect(withdrawableUsdc(100n, 120n, -30n)).toBe(100n)
  expect(withdrawableUsdc(100n, 10n, 30n)).toBe(0n)
})

test('nothing is known of what can be withdrawn while one of its figures is unknown', () => {
  expect(withdrawableUsdc(null, 80n, 0n)).toBeNull()
  expect(withdrawableUsdc(100n, null, 0n)).toBeNull()
  expect(withdrawableUsdc(100n, 80n, null)).toBeNull()
})
