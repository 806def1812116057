import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toFunctionSelector } from 'viem'
import { type FailedCheck, failedCheck, losesMostValue } from '../../../src/gateway/swap/checks.ts'
import type { SwapQuote } from '../../../src/gateway/swap/provider.ts'
import {
  COIN,
  call,
  ETH,
  GROUND,
  messageFee,
  NATIVE,
  ORDER,
  QUOTE,
  ROUTER,
  THIEF,
  token,
  USDC_ADDRESS,
  WALLET,
} from './sound-quote.ts'

test('a quote that is what was asked for passes, with and without a list of routers', () => {
  expect(failedCheck(ORDER, QUOTE, GROUND)).toBeNull()
  expect(failedCheck(ORDER, QUOTE, { ...GROUND, routers: new Set([ROUTER]) })).toBeNull()
})

const HOSTILE: readonly (readonly [string, Partial<SwapQuote>, FailedCheck])[] = [
  ['another source chain', { fromToken: token(1, USDC_ADDRESS) }, 'fromToken'],
  ['another source token', { fromToken: token(42161, THIEF) }, 'fromToken'],
  ['another destination chain', { toToken: token(10, NATIVE) }, 'toToken'],
  ['another destination token', { toToken: token(8453, THIEF) }, 'toToken'],
  ['a greater amount', { fromAmount: 300_000_001n }, 'fromAmount'],
  ['a smaller amount', { fromAmount: 1n }, 'fromAmount'],
  ['another receiver', { wallets: { from: WALLET, to: THIEF } }, 'wallets'],
  ['another sender', { wallets: { from: THIEF, to: WALLET } }, 'wallets'],
  ['no wallets', { wallets: null }, 'wallets'],
  ['nothing guaranteed', { toAmountMin: 0n }, 'toAmountMin'],
  ['nothing guaranteed of one unit', { toAmount: 1n, toAmountMin: 0n }, 'toAmountMin'],
  ['a drained guarantee', { toAmountMin: 99_499_999_999_999_998n }, 'toAmountMin'],
  ['a guarantee above the promise', { toAmountMin: 100_000_000_000_000_001n }, 'toAmountMin'],
  ['no transaction', { transaction: null }, 'transaction'],
  ['a transaction on another chain', call({ chainId: 1 }), 'chain'],
  ['a transaction of another sender', call({ from: THIEF }), 'sender'],
  ['coins on top', call({ value: 1n }), 'value'],
  ['coins beyond a declared fee', { ...call({ value: 126n }), fees: [messageFee(100n)] }, 'value'],
  [
    'coins for an included fee',
    { ...call({ value: 100n }), fees: [messageFee(100n, true)] },
    'value',
  ],
  ['huge calldata', call({ data: `0x${'00'.repeat(64 * 1024 + 1)}` }), 'calldata'],
  ['calldata that is no hex', call({ data: '0xzz' }), 'calldata'],
  ['half a byte of calldata', call({ data: '0x123' }), 'calldata'],
  ['calldata without its prefix', call({ data: '12345678' }), 'calldata'],
  ['a transaction to nowhere', call({ to: NATIVE }), 'router'],
  ['a transaction to the token', call({ to: USDC_ADDRESS }), 'router'],
  ['a transaction to the wallet', call({ to: WALLET }), 'router'],
  ['everybody as spender', { spender: NATIVE }, 'spender'],
  ['the token as spender', { spender: USDC_ADDRESS }, 'spender'],
]

describe('a hostile quote fails the check that is meant for it', () => {
  test.each(HOSTILE)('%s', (_, change, check) => {
    expect(failedCheck(ORDER, { ...QUOTE, ...change }, GROUND)).toBe(check)
  })

  test('calldata of exactly 64 KiB is not huge', () => {
    const data = `0xa6010a66${'00'.repeat(65_532)}`
    expect(failedCheck(ORDER, { ...QUOTE, ...call({ data }) }, GROUND)).toBeNull()
  })

  test.each([
    'approve(address,uint256)',
    'increaseAllowance(address,uint256)',
    'transfer(address,uint256)',
    'transferFrom(address,address,uint256)',
    'setApprovalForAll(address,bool)',
    'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
  ])('a call of the token as the transaction: %s', (signature) => {
    const data = `${toFunctionSelector(signature)}${'0'.repeat(128)}`
    expect(failedCheck(ORDER, { ...QUOTE, ...call({ data }) }, GROUND)).toBe('calldata')
  })

  test('a foreign router and a foreign spender, where routers are listed', () => {
    const named = { ...GROUND, routers: new Set([ROUTER]) }
    expect(failedCheck(ORDER, { ...QUOTE, ...call({ to: THIEF }) }, named)).toBe('router')
    expect(failedCheck(ORDER, { ...QUOTE, spender: THIEF }, named)).toBe('spender')
  })
})

describe('coins that leave the wallet', () => {
  const order = { ...ORDER, fromToken: NATIVE, toToken: NATIVE, fromAmount: 1000n }
  const quote = { ...QUOTE, fromToken: COIN, fromAmount: 1000n, spender: null }

  test.each([
    ['the amount', 1000n, [], null],
    ['less than the amount', 999n, [], 'value'],
    ['more than the amount', 1001n, [], 'value'],
    ['the amount and a declared fee', 1100n, [messageFee(100n)], null],
    ['a fee that rose by a quarter', 1125n, [messageFee(100n)], null],
    ['a fee that rose by more', 1126n, [messageFee(100n)], 'value'],
  ] as const)('%s', (_, value, fees, check) => {
    expect(failedCheck(order, { ...quote, ...call({ value }), fees }, GROUND)).toBe(check)
  })

  test('nobody needs to be allowed to take a native coin', () => {
    const asked = { ...quote, ...call({ value: 1000n }), spender: ROUTER }
    expect(failedCheck(order, asked, GROUND)).toBe('spender')
  })
})

test('an indicative quote has no transaction to judge, but its amounts and tokens are', () => {
  const order = { ...ORDER, wallets: null }
  const quote = { ...QUOTE, wallets: { from: THIEF, to: THIEF }, ...call({ chainId: 1 }) }
  expect(failedCheck(order, quote, GROUND)).toBeNull()
  expect(failedCheck(order, { ...quote, fromAmount: 1n }, GROUND)).toBe('fromAmount')
})

test('the guarantee is held to the slippage that was asked for, less one unit of rounding', () => {
  const amounts = fc.tuple(fc.bigInt(2n, 10n ** 30n), fc.integer({ min: 1, max: 2000 }))
  fc.assert(
    fc.property(amounts, fc.bigInt(0n, 10n ** 30n), ([toAmount, slippageBps], toAmountMin) => {
      const check = failedCheck(
        { ...ORDER, slippageBps },
        { ...QUOTE, toAmount, toAmountMin },
        GROUND,
      )
      const least = (toAmount * BigInt(10_000 - slippageBps)) / 10_000n
      if (check === null) {
        expect(toAmountMin > 0n && toAmountMin <= toAmount).toBe(true)
        expect(toAmountMin >= least - 1n).toBe(true)
      } else expect(check).toBe('toAmountMin')
    }),
  )
})

test('giving back less than a quarter of what is taken is ruinous, unless prices or much money are missing', () => {
  const drained = { ...QUOTE, toAmount: 20n * 10n ** 15n, toAmountMin: 20n * 10n ** 15n }
  expect(losesMostValue(QUOTE)).toBe(false)
  expect(losesMostValue(drained)).toBe(true)
  expect(losesMostValue({ ...drained, toToken: { ...ETH, priceUsd: null } })).toBe(false)
  expect(losesMostValue({ ...drained, fromAmount: 10_000_000n, toAmountMin: 1n })).toBe(false)
})
