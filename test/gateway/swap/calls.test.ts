import { describe, expect, test } from 'bun:test'
import { toFunctionSelector } from 'viem'
import { ROUTER_CALLS } from '../../../src/contract/swap.ts'
import { failedCheck } from '../../../src/gateway/swap/checks.ts'
import type { SwapQuote } from '../../../src/gateway/swap/provider.ts'
import { COIN, call, GROUND, messageFee, ORDER, QUOTE, ROUTER, THIEF } from './sound-quote.ts'

describe('a call', () => {
  const named = { ...GROUND, routers: new Set([ROUTER]) }
  const unknown = { ...QUOTE, ...call({ data: '0x12345678' }) }

  test.each([
    ...['0x', '0x12345678', '0xa6010a', '0xa6010a67'].map((data) => [data, 'call'] as const),
    ...[...ROUTER_CALLS.keys()].map((data) => [`${data}00`, null] as const),
  ])('of %s to any contract: %p', (data, check) => {
    expect(failedCheck(ORDER, { ...QUOTE, ...call({ data }) }, GROUND)).toBe(check)
  })

  test('that nobody knows may go to a router that the operator named, and nowhere else', () => {
    expect(failedCheck(ORDER, unknown, named)).toBeNull()
    expect(failedCheck(ORDER, { ...QUOTE, ...call({ data: '0x' }) }, named)).toBeNull()
    const otherRouter = { ...unknown, ...call({ data: '0x12345678', to: THIEF }) }
    expect(failedCheck(ORDER, otherRouter, named)).toBe('router')
  })

  test('is listed by the selector of its function', () => {
    const swap = '(address,address,address,address,uint256,bytes,bool)'
    const transfer = '(bytes32,string,string,address,address,address,uint256,uint256,bool,bool)'
    const stargate =
      '(uint16,(uint32,bytes32,uint256,uint256,bytes,bytes,bytes),(uint256,uint256),address)'
    const arguments_ = new Map([
      ['swapTokensGeneric', `bytes32,string,string,address,uint256,${swap}[]`],
      ['swapTokensSingleV3ERC20ToERC20', `bytes32,string,string,address,uint256,${swap}`],
      ['swapTokensMultipleV3NativeToERC20', `bytes32,string,string,address,uint256,${swap}[]`],
      ['startBridgeTokensViaGasZip', `${transfer},(bytes32,uint256)`],
      ['swapAndStartBridgeTokensViaRelayDepository', `${transfer},${swap}[],(bytes32,address)`],
      ['startBridgeTokensViaStargate', `${transfer},${stargate}`],
      ['swapAndStartBridgeTokensViaStargate', `${transfer},${swap}[],${stargate}`],
    ])
    for (const [name, types] of arguments_)
      expect(ROUTER_CALLS.get(toFunctionSelector(`${name}(${types})`))).toBe(name)
  })
})

describe('gas', () => {
  const [limit, gwei] = [300_000n, 10n ** 9n]
  test.each([
    ['usual', limit, 100n * gwei, null],
    // 250 dollars at 3000 a coin.
    ['dear', limit, 277n * gwei, null],
    ['dearer than it is worth', limit, 278n * gwei, 'gas'],
    ['of an unlikely price', 1n, 10_001n * gwei, 'gas'],
    ['without end', 30_000_001n, 1n, 'gas'],
    ['without a limit, taken as a million', null, 84n * gwei, 'gas'],
    ['without a price', limit, null, null],
  ] as const)('that is %s', (_, gasLimit, gasPrice, check) => {
    const quote = { ...QUOTE, ...call({ gasLimit, gasPrice }) }
    expect(failedCheck(ORDER, quote, GROUND)).toBe(check)
  })

  test('may cost a quarter of what is swapped', () => {
    const quote = { ...QUOTE, fromAmount: 4_000_000_000n }
    const order = { ...ORDER, fromAmount: 4_000_000_000n }
    const at = (gasPrice: bigint) =>
      failedCheck(order, { ...quote, ...call({ gasLimit: limit, gasPrice }) }, GROUND)
    expect([at(1111n * gwei), at(1112n * gwei)]).toEqual([null, 'gas'])
  })

  test('in a coin without a price is not paid for', () => {
    const quote = { ...QUOTE, ...call({ gasLimit: limit, gasPrice: 1n }) }
    for (const coin of [null, { ...COIN, priceUsd: null }])
      expect(failedCheck(ORDER, quote, { ...GROUND, coin })).toBe('gas')
  })
})

describe('costs besides the amount', () => {
  const dollars = (usd: bigint) => (usd * 10n ** 18n) / 3000n
  const taking = (usd: bigint, more: Partial<SwapQuote> = {}) => ({
    ...QUOTE,
    ...more,
    ...call({ value: dollars(usd) }),
    fees: [messageFee(dollars(usd))],
  })

  test.each([
    [75n, null],
    [76n, 'costs'],
    [100_000n, 'costs'],
  ] as const)('of %d dollars declared as a fee for swapping 300', (usd, check) => {
    expect(failedCheck(ORDER, taking(usd), GROUND)).toBe(check)
  })

  test('may be twenty dollars for any amount, and nothing in a coin without a price', () => {
    const order = { ...ORDER, fromAmount: 1n }
    const small = { fromAmount: 1n }
    expect(failedCheck(order, taking(20n, small), GROUND)).toBeNull()
    expect(failedCheck(order, taking(21n, small), GROUND)).toBe('costs')
    for (const coin of [null, { ...COIN, priceUsd: null }])
      expect(failedCheck(order, taking(1n, small), { ...GROUND, coin })).toBe('costs')
  })
})
