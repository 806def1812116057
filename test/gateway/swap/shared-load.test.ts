import { afterEach, beforeEach, expect, test, vi } from 'bun:test'
import type { SwapAccess } from '../../../src/gateway/swap/access.ts'
import { swapChains } from '../../../src/gateway/swap/lists.ts'
import type { SwapChain, SwapProvider } from '../../../src/gateway/swap/provider.ts'
import { swapQuote } from '../../../src/gateway/swap/quote.ts'
import { swapStatus } from '../../../src/gateway/swap/status.ts'
import { pass, settled } from '../../fake-time.ts'
import { HASH, QUOTE_QUERY, queryOf, swapDeps, swapWorld } from './fixture.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const CHAINS = [42_161, 8453].map(
  (chainId): SwapChain => ({
    chainId,
    name: 'Chain',
    nativeSymbol: 'ETH',
    nativeDecimals: 18,
    explorer: '',
  }),
)

/** What the orders here swap, on each of the chains. */
const TOKENS = [QUOTE_QUERY.fromToken, QUOTE_QUERY.toToken].map((address) => ({
  address: address.toLowerCase(),
  symbol: 'T',
  name: '',
  decimals: 18,
  priceUsd: '1',
  logo: '',
}))

/** A provider that never answers, but for some of its lists. */
function held(...answered: readonly ('chains' | 'tokens')[]) {
  const asked: string[] = []
  const never = (name: string) => () => {
    asked.push(name)
    return new Promise<never>(() => undefined)
  }
  const provider: SwapProvider = {
    origin: 'https://swap.example',
    routers: null,
    chains: answered.includes('chains') ? async () => CHAINS : never('chains'),
    tokens: answered.includes('tokens')
      ? async (chainId) => TOKENS.map((token) => ({ chainId, ...token }))
      : never('tokens'),
    quote: never('quote'),
    transfer: never('transfer'),
  }
  return { deps: swapDeps(swapWorld(), provider), asked }
}

const { fromAddress: _, ...indicative } = QUOTE_QUERY

const CALLS: [string, (deps: SwapAccess) => Promise<unknown>, number][] = [
  ['chains', swapChains, 20_000],
  ['transfer', (deps) => swapStatus(deps, queryOf({ txHash: HASH })), 10_000],
]

test.each(CALLS)('who shares a load of the %s waits as long as its own', async (name, call, ms) => {
  const { deps, asked } = name === 'chains' ? held() : held('chains', 'tokens')
  const ended: string[] = []
  const start = (who: string) => {
    const end = () => void ended.push(who)
    call(deps).then(end, end)
  }
  start('leader')
  await pass(1000)
  start('follower')
  await settled()
  await pass(ms - 1)
  expect(ended).toEqual([])
  await pass(1)
  expect(ended).toEqual(['follower'])
  expect(asked).toEqual([name])
})

test.each([
  { what: 'the list of chains', answered: [] },
  { what: 'the lists of tokens', answered: ['chains'] },
  { what: 'the quote itself', answered: ['chains', 'tokens'] },
] as const)('whoever wants a quote waits 15 s at most where $what hangs', async ({ answered }) => {
  for (const order of [QUOTE_QUERY, indicative]) {
    const { deps } = held(...answered)
    const ended: unknown[] = []
    const start = () => swapQuote(deps, queryOf(order)).catch((error) => ended.push(error.code))
    void start()
    await pass(1000)
    void start()
    await pass(13_999)
    expect(ended).toEqual([])
    await pass(1)
    expect(ended).toEqual(['upstream_timeout'])
    await pass(1000)
    expect(ended).toEqual(['upstream_timeout', 'upstream_timeout'])
  }
})
