import { expect, test } from 'bun:test'
import { toAmount } from '../../src/perp/amounts.ts'
import { estimatedFees, feesIn, parseFees } from '../../src/perp/fee-rates.ts'

const XAU = 'PERP_XAU_USDC'
const ETH = 'PERP_ETH_USDC'
const RWA = new Set([XAU])
const exact = (value: number) => toAmount(value) ?? 0n

const crypto = { futures_taker_fee_rate: 6, futures_maker_fee_rate: 2 }
const rwa = { rwa_taker_fee_rate: 20, rwa_maker_fee_rate: 10 }
const CRYPTO_RATES = { takerFee: exact(0.0006), makerFee: exact(0.0002) }
const UNKNOWN_RATES = { takerFee: null, makerFee: null }
const RWA_RATES = { takerFee: exact(0.002), makerFee: exact(0.001) }

test('a market of a stock, metal or currency has fee rates of its own', () => {
  const fees = parseFees([{}, { ...crypto, ...rwa }])
  expect(feesIn(fees, XAU, RWA)).toEqual(RWA_RATES)
  expect(feesIn(fees, ETH, RWA)).toEqual(CRYPTO_RATES)
})

test('the rates of a market are unknown where its kind is, unless both kinds have the same', () => {
  const fees = parseFees([{ ...crypto, ...rwa }])
  expect(feesIn(fees, ETH, null)).toEqual(UNKNOWN_RATES)
  expect(estimatedFees(fees, ETH, null)).toEqual(RWA_RATES)
  const same = parseFees([{ ...crypto, rwa_taker_fee_rate: 6, rwa_maker_fee_rate: '2' }])
  expect(feesIn(same, ETH, null)).toEqual(CRYPTO_RATES)
})

test('rates that an answer leaves out are unknown, and an estimate takes the others', () => {
  const fees = parseFees([crypto])
  expect(feesIn(fees, XAU, RWA)).toEqual(UNKNOWN_RATES)
  expect(feesIn(fees, ETH, RWA)).toEqual(CRYPTO_RATES)
  expect(estimatedFees(fees, XAU, RWA)).toEqual(CRYPTO_RATES)
  // Without any rate a fee is unknown, which is not free.
  for (const markets of [RWA, null])
    expect(estimatedFees(parseFees([]), ETH, markets)).toEqual(UNKNOWN_RATES)
  const free = parseFees([{ futures_taker_fee_rate: 0, futures_maker_fee_rate: 0 }])
  expect(estimatedFees(free, ETH, RWA)).toEqual({ takerFee: 0n, makerFee: 0n })
})

test('a rate that is known counts, although the other rate of its market is not', () => {
  const fees = parseFees([{ futures_taker_fee_rate: 6, futures_maker_fee_rate: null, ...rwa }])
  expect(feesIn(fees, ETH, RWA)).toEqual({ takerFee: CRYPTO_RATES.takerFee, makerFee: null })
  expect(estimatedFees(fees, ETH, RWA)).toEqual({
    takerFee: CRYPTO_RATES.takerFee,
    makerFee: RWA_RATES.makerFee,
  })
  const alone = parseFees([{ futures_taker_fee_rate: 6 }])
  expect(estimatedFees(alone, ETH, RWA)).toMatchObject({ takerFee: CRYPTO_RATES.takerFee })
})
