import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Failure } from '../../../src/core/failure.ts'
import { assertServed, readSwapOrder } from '../../../src/gateway/swap/order.ts'
import { queryOf, WALLET } from './fixture.ts'

const USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'
const NATIVE = `0x${'0'.repeat(40)}`
const OTHER = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'
const ASKED = {
  fromChain: '42161',
  toChain: '8453',
  fromToken: USDC,
  toToken: NATIVE,
  fromAmount: '100000000',
}

function failureOf(run: () => unknown): object | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof Failure) return { code: error.code, ...error.meta }
    throw error
  }
}

test('the least that is needed is a price without wallets, at half a percent, cheapest first', () => {
  expect(readSwapOrder(queryOf(ASKED))).toEqual({
    fromChainId: 42161,
    toChainId: 8453,
    fromToken: USDC.toLowerCase(),
    toToken: NATIVE,
    fromAmount: 100000000n,
    wallets: null,
    slippageBps: 50,
    preference: 'CHEAPEST',
  })
})

test('the receiver is the sender unless another is named, and addresses become lower case', () => {
  const wallet = WALLET.toLowerCase()
  expect(readSwapOrder(queryOf({ ...ASKED, fromAddress: WALLET })).wallets).toEqual({
    from: wallet,
    to: wallet,
  })
  const both = { ...ASKED, fromAddress: WALLET, toAddress: OTHER }
  expect(readSwapOrder(queryOf(both)).wallets).toEqual({ from: wallet, to: OTHER.toLowerCase() })
})

test('the other spelling of the native coin is the zero address', () => {
  const toToken = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
  expect(readSwapOrder(queryOf({ ...ASKED, toToken })).toToken).toBe(NATIVE)
})

test('parameters nobody knows are dropped', () => {
  const order = readSwapOrder(queryOf({ ...ASKED, integrator: 'x', fee: '0.9', referrer: 'y' }))
  expect(JSON.stringify({ ...order, fromAmount: '' })).not.toMatch(/integrator|fee|referrer/)
})

const REFUSED: readonly (readonly [
  string,
  Readonly<Record<string, string | undefined>>,
  string,
])[] = [
  ['invalid_request', { fromChain: undefined }, 'fromChain'],
  ['invalid_request', { fromChain: '' }, 'fromChain'],
  ['invalid_request', { fromChain: '0' }, 'fromChain'],
  ['invalid_request', { fromChain: '01' }, 'fromChain'],
  ['invalid_request', { fromChain: '0x1' }, 'fromChain'],
  ['invalid_request', { fromChain: '1e3' }, 'fromChain'],
  ['invalid_request', { fromChain: '-1' }, 'fromChain'],
  ['invalid_request', { fromChain: '12345678901234567' }, 'fromChain'],
  ['invalid_request', { toChain: 'eth' }, 'toChain'],
  ['invalid_request', { fromToken: undefined }, 'fromToken'],
  ['invalid_request', { fromToken: 'USDC' }, 'fromToken'],
  ['invalid_request', { fromToken: USDC.slice(0, -1) }, 'fromToken'],
  ['invalid_request', { toToken: `${NATIVE}0` }, 'toToken'],
  ['invalid_request', { toChain: '42161', toToken: USDC.toLowerCase() }, 'toToken'],
  ['invalid_request', { fromAmount: undefined }, 'fromAmount'],
  ['invalid_request', { fromAmount: '0' }, 'fromAmount'],
  ['invalid_request', { fromAmount: '-5' }, 'fromAmount'],
  ['invalid_request', { fromAmount: '1.5' }, 'fromAmount'],
  ['invalid_request', { fromAmount: '0x10' }, 'fromAmount'],
  ['invalid_request', { fromAmount: '1'.repeat(79) }, 'fromAmount'],
  ['invalid_request', { fromAmount: String(2n ** 256n) }, 'fromAmount'],
  ['invalid_address', { fromAddress: 'me' }, 'fromAddress'],
  ['invalid_address', { fromAddress: NATIVE }, 'fromAddress'],
  ['invalid_address', { fromAddress: WALLET.replace('cC1', 'Cc1') }, 'fromAddress'],
  ['invalid_address', { toAddress: OTHER }, 'toAddress'],
  ['invalid_address', { fromAddress: WALLET, toAddress: NATIVE }, 'toAddress'],
  ['invalid_address', { fromAddress: WALLET, toAddress: '0x' }, 'toAddress'],
  ['invalid_request', { slippageBps: '0' }, 'slippageBps'],
  ['invalid_request', { slippageBps: '2001' }, 'slippageBps'],
  ['invalid_request', { slippageBps: '0.5' }, 'slippageBps'],
  ['invalid_request', { slippageBps: '050' }, 'slippageBps'],
  ['invalid_request', { order: 'cheapest' }, 'order'],
  ['invalid_request', { order: 'SAFEST' }, 'order'],
]

describe('what is malformed is refused by name', () => {
  test.each(REFUSED)('%s %j', (code, change, parameter) => {
    expect(failureOf(() => readSwapOrder(queryOf({ ...ASKED, ...change })))).toEqual({
      code,
      parameter,
      reason: expect.stringMatching(/^(?:missing|malformed|conflicting|out_of_range)$/),
    })
  })

  test.each(['fromChain', 'fromToken', 'fromAmount', 'fromAddress', 'slippageBps', 'order'])(
    'a repeated %s',
    (name) => {
      const query = new Map(queryOf(ASKED))
      query.set(name, ['1', '1'])
      expect(failureOf(() => readSwapOrder(query))).toEqual({
        code: 'invalid_request',
        parameter: name,
        reason: 'repeated',
      })
    },
  )
})

test('bounds are accepted', () => {
  const largest = { fromAmount: String(2n ** 256n - 1n), slippageBps: '2000', order: 'FASTEST' }
  const order = readSwapOrder(queryOf({ ...ASKED, ...largest }))
  expect(order.fromAmount).toBe(2n ** 256n - 1n)
  expect(order).toMatchObject({ slippageBps: 2000, preference: 'FASTEST' })
  expect(readSwapOrder(queryOf({ ...ASKED, slippageBps: '1' })).slippageBps).toBe(1)
})

test('whatever is asked, an order is well-formed or refused by the name of a parameter', () => {
  const value = fc.oneof(fc.string(), fc.constantFrom('1', '0', '50', USDC, NATIVE, WALLET, '1e9'))
  const asked = fc.record({
    ...Object.fromEntries(Object.keys(ASKED).map((name) => [name, value])),
    fromAddress: value,
    slippageBps: value,
  })
  fc.assert(
    fc.property(asked, (values) => {
      const failure = failureOf(() => {
        const order = readSwapOrder(queryOf(values))
        expect(order.fromAmount).toBeGreaterThan(0n)
        expect(order.fromToken).toMatch(/^0x[0-9a-f]{40}$/)
        expect(order.slippageBps).toBeWithin(1, 2001)
      })
      if (failure) expect(Object.keys(failure)).toEqual(['code', 'parameter', 'reason'])
    }),
  )
})

test('a chain that is not served, or whose id is beyond exact numbers, is unsupported', () => {
  const refused = { code: 'unsupported_chain', parameter: 'toChain', reason: 'unknown_chain' }
  expect(failureOf(() => assertServed(5, 'toChain', () => false))).toEqual(refused)
  expect(failureOf(() => assertServed(2 ** 53, 'toChain', () => true))).toEqual(refused)
  expect(failureOf(() => assertServed(5, 'toChain', () => true))).toBeUndefined()
})
