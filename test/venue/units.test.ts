import { describe, expect, test } from 'bun:test'
import { feeOf, ratioOf, shareOf, worthOf } from '../../src/venue/units.ts'

describe('money is rounded once, and never in favour of the trader', () => {
  test.each([
    { notional: 0n, bps: 6n, fee: 0n },
    { notional: 1n, bps: 6n, fee: 1n },
    { notional: 10_000n, bps: 6n, fee: 6n },
    { notional: 10_001n, bps: 6n, fee: 7n },
    { notional: 4_999n, bps: 2n, fee: 1n },
    { notional: 5_001n, bps: 2n, fee: 2n },
  ])('a fee of $bps basis points on $notional is $fee', ({ notional, bps, fee }) => {
    expect(feeOf(notional, bps)).toBe(fee)
  })

  test.each([
    { amount: 1n, rate: 10_000_000n, share: 1n },
    { amount: 10n, rate: 10_000_000n, share: 1n },
    { amount: 11n, rate: 10_000_000n, share: 2n },
  ])('a margin of $rate on $amount is $share', ({ amount, rate, share }) => {
    expect(shareOf(amount, rate)).toBe(share)
  })

  test.each([
    { price: 4_999_999_999n, worth: 0n },
    { price: 5_000_000_000n, worth: 1n },
    { price: 14_999_999_999n, worth: 1n },
    { price: 15_000_000_000n, worth: 2n },
  ])('both sides of a trade at $price are worth the same', ({ price, worth }) => {
    expect(worthOf(price, 1n)).toBe(worth)
    expect(worthOf(price, -1n)).toBe(-worth)
  })

  test('a ratio is rounded to the nearest, and is the fallback where there is no whole', () => {
    expect(ratioOf(1n, 3n)).toBe(33_333_333n)
    expect(ratioOf(2n, 3n)).toBe(66_666_667n)
    expect(ratioOf(2n, 0n, 7n)).toBe(7n)
  })
})
