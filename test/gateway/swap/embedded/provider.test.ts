import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isEip55 } from '../../../../src/core/crypto/checksum.ts'
import { demoTransactionHash } from '../../../../src/core/crypto/demo-swap.ts'
import { failedCheck, losesMostValue } from '../../../../src/gateway/swap/checks.ts'
import { embeddedSwap } from '../../../../src/gateway/swap/embedded/provider.ts'
import {
  transferOutcome,
  WORLD_CHAINS,
  WORLD_TOKENS,
} from '../../../../src/gateway/swap/embedded/world.ts'
import { NATIVE_ADDRESS, type SwapOrder } from '../../../../src/gateway/swap/provider.ts'
import { runs } from '../../../runs.ts'
import { failureOf, ORDER, START_MS, swapWorld } from '../fixture.ts'

const PRICES: Readonly<Record<string, number>> = {
  BTC: 62_000,
  ETH: 2400,
  BNB: 585,
  AVAX: 24.5,
  LINK: 14.2,
  '1INCH': 0.21,
}

function world(seed = 1) {
  const parts = swapWorld()
  const priceOf = (base: string) => {
    const price = PRICES[base]
    return price === undefined ? null : BigInt(Math.round(price * 1e8))
  }
  return {
    parts,
    provider: embeddedSwap({ seed, pricesOf: async (bases) => bases.map(priceOf), ...parts }),
  }
}

const NATIVE = `0x${'0'.repeat(40)}`
const USDC = '0xaf88d065e77c8cc2239327c5edb3a432268e5831'

test('every address of the world carries a valid checksum, and every chain has its coin and its dollar', () => {
  const wrong = WORLD_TOKENS.filter(([, address]) => !isEip55(address))
  expect(wrong).toEqual([])
  for (const { chainId } of WORLD_CHAINS) {
    const symbols = WORLD_TOKENS.filter((row) => row[0] === chainId).map((row) => row[2])
    expect(symbols).toContain('USDC')
    expect(WORLD_TOKENS.some((row) => row[0] === chainId && row[1] === NATIVE)).toBe(true)
  }
})

test('tokens are those that have a price, at that price', async () => {
  const { provider } = world()
  const tokens = await provider.tokens(1)
  expect(tokens.find(({ symbol }) => symbol === 'ETH')?.priceUsd).toBe('2400')
  expect(tokens.find(({ symbol }) => symbol === '1INCH')?.name).toBe('1inch')
  expect(tokens.find(({ symbol }) => symbol === 'UNI')).toBeUndefined()
  expect(await provider.tokens(5)).toEqual([])
})

test('a quote adds up: what is given, less fees and impact, is what arrives', async () => {
  const { provider } = world()
  const quote = await provider.quote(ORDER)
  const fees = quote.fees.map(({ type, amountUsd }) => `${type} ${amountUsd}`)
  expect(fees).toEqual(['service 0.25', 'relay 0.20', 'protocol 0.05'])
  expect(quote.fromAmountUsd).toBe('100.00')
  expect(quote.toAmountUsd).toBe('99.50')
  expect(quote.steps.map(({ type }) => type)).toEqual(['bridge', 'swap'])
  expect(quote.steps.at(-1)?.toAmount).toBe(quote.toAmount)
  expect(quote.gas.map(({ type }) => type)).toEqual(['approve', 'send'])
})

test('every quote passes the checks of the gateway, from any token to any other', async () => {
  const { provider } = world()
  const tokens = (
    await Promise.all(WORLD_CHAINS.map(({ chainId }) => provider.tokens(chainId)))
  ).flat()
  const token = fc.constantFrom(...tokens)
  await fc.assert(
    fc.asyncProperty(
      token,
      token,
      fc.integer({ min: 1, max: 60_000 }),
      async (from, to, dollars) => {
        fc.pre(from !== to)
        const price = Math.round(Number(from.priceUsd) * 1e8)
        const fromAmount = (BigInt(dollars) * 10n ** BigInt(from.decimals + 8)) / BigInt(price) + 1n
        const ends = { fromChainId: from.chainId, toChainId: to.chainId }
        const order: SwapOrder = {
          ...ORDER,
          ...ends,
          fromToken: from.address,
          toToken: to.address,
          fromAmount,
        }
        const outcome = await failureOf(
          provider.quote(order).then((quote) => {
            expect(
              failedCheck(order, quote, {
                routers: provider.routers,
                coin:
                  tokens.find(
                    (token) => token.chainId === from.chainId && token.address === NATIVE_ADDRESS,
                  ) ?? null,
              }),
            ).toBeNull()
            expect(losesMostValue(quote)).toBe(false)
          }),
        )
        expect(['an answer', 'no_route']).toContain(
          typeof outcome === 'string' ? outcome : Reflect.get(outcome, 'code'),
        )
      },
    ),
    { numRuns: runs(200) },
  )
})

test('coins are only ever sent to a contract that refuses them', async () => {
  const { provider } = world()
  const order = { ...ORDER, fromToken: NATIVE, fromAmount: 10n ** 18n }
  const { transaction } = await provider.quote(order)
  expect(transaction).toMatchObject({ to: USDC, value: 10n ** 18n })
  const erc20 = await provider.quote(ORDER)
  expect(erc20.transaction?.value).toBe(0n)
  expect(erc20.transaction?.to).toBe(erc20.spender ?? '')
  expect((await provider.quote({ ...ORDER, wallets: null })).transaction).toBeNull()
})

test.each([
  [{ fromAmount: 999_999n }, { code: 'amount_too_low', parameter: 'fromAmount' }],
  [{ fromAmount: 10n ** 14n }, { code: 'amount_too_high', parameter: 'fromAmount' }],
  [{ fromAmount: 15n * 10n ** 11n }, { code: 'no_route', reason: 'insufficient_liquidity' }],
  [
    { toChainId: 1, toToken: '0x853d955acef822db058eb8505911ed77f175b99e' },
    { code: 'no_route', reason: 'no_path' },
  ],
  [{ toToken: USDC }, { code: 'unsupported_token', parameter: 'toToken', reason: 'unknown_token' }],
])('%p is refused', async (change, failure) => {
  expect(await failureOf(world().provider.quote({ ...ORDER, ...change }))).toEqual(failure)
})

type Seen = string

/** The states of a transfer as they are seen, a second apart, without repeats. */
async function lifeOf(
  fromAmount: bigint,
  change: Partial<SwapOrder> = {},
  waitMs = 0,
): Promise<readonly Seen[]> {
  const { provider, parts } = world()
  const { transaction } = await provider.quote({ ...ORDER, ...change, fromAmount })
  parts.nowMs += waitMs
  const txHash = demoTransactionHash(transaction?.data ?? '')
  const seen: Seen[] = []
  for (let second = 0; second < 20; second++) {
    const { state } = await provider.transfer({ txHash, fromChainId: null, toChainId: null })
    const shown = `${state.status} ${state.substatus}`
    if (seen.at(-1) !== shown) seen.push(shown)
    parts.nowMs += 1000
  }
  return seen
}

const BRIDGED = ['NOT_FOUND null', 'PENDING WAITING_SOURCE', 'PENDING WAITING_DESTINATION']

describe('a transfer moves through its states on the clock', () => {
  test.each([
    [100_000_000n, [...BRIDGED, 'DONE COMPLETED']],
    [100_000_001n, [...BRIDGED, 'DONE PARTIAL']],
    [100_000_002n, [...BRIDGED, 'PENDING REFUND_IN_PROGRESS', 'FAILED REFUNDED']],
    [100_000_003n, [...BRIDGED.slice(0, 2), 'FAILED SLIPPAGE_EXCEEDED']],
    [100_000_004n, [...BRIDGED.slice(0, 2), 'FAILED OUT_OF_GAS']],
    [100_000_005n, [...BRIDGED.slice(0, 2), 'FAILED INSUFFICIENT_FUNDS']],
    [100_000_006n, [...BRIDGED, 'FAILED REFUND_NEEDED']],
    [100_000_007n, [...BRIDGED, 'FAILED UNKNOWN']],
  ])('%d', async (amount, states) => expect(await lifeOf(amount)).toEqual(states))

  test('on one chain there is no destination to wait for', async () => {
    const here = { toChainId: 42161 }
    expect(await lifeOf(100_000_000n, here)).toEqual([...BRIDGED.slice(0, 2), 'DONE COMPLETED'])
  })

  test('a quote that is sent too late fails as expired', async () => {
    expect(await lifeOf(100_000_000n, {}, 60_001)).toEqual([
      ...BRIDGED.slice(0, 2),
      'FAILED EXPIRED',
    ])
    expect((await lifeOf(100_000_000n, {}, 60_000)).at(-1)).toBe('DONE COMPLETED')
  })
})

test('ends tell what was sent, what arrived and what came back', async () => {
  const { provider, parts } = world()
  const quote = await provider.quote({ ...ORDER, fromAmount: 100_000_002n })
  const txHash = demoTransactionHash(quote.transaction?.data ?? '')
  const look = () => provider.transfer({ txHash, fromChainId: null, toChainId: null })
  await look()
  parts.nowMs += 30_000
  const { sending, receiving, fromAddress } = await look()
  expect(sending).toMatchObject({ txHash, amount: 100_000_002n, atMs: START_MS + 1000 })
  expect(receiving).toMatchObject({ chainId: 42161, amount: 100_000_002n })
  expect(fromAddress).toBe(ORDER.wallets?.from ?? '')
})

test('a hash that no quote has is never found', async () => {
  const { provider, parts } = world()
  const query = { txHash: `0x${'1'.repeat(64)}`, fromChainId: null, toChainId: null }
  await provider.transfer(query)
  parts.nowMs += 60_000
  expect((await provider.transfer(query)).state.status).toBe('NOT_FOUND')
})

test('amounts that choose no outcome leave it to the seed, every outcome at its chance', () => {
  const chances = Array.from({ length: 100 }, (_, at) => transferOutcome(55n, (at + 0.5) / 100))
  expect(
    Object.entries(Object.groupBy(chances, (outcome) => outcome)).map(
      ([outcome, drawn]) => `${outcome} ${drawn.length}`,
    ),
  ).toEqual([
    'COMPLETED 82',
    'PARTIAL 4',
    'REFUNDED 4',
    'SLIPPAGE_EXCEEDED 4',
    'OUT_OF_GAS 2',
    'INSUFFICIENT_FUNDS 2',
    'REFUND_NEEDED 1',
    'UNKNOWN 1',
  ])
})
