import { afterEach, beforeEach, expect, test, vi } from 'bun:test'
import type { SwapDeps } from '../../src/swap/deps.ts'
import { swapChains } from '../../src/swap/lists.ts'
import type { SwapChain, SwapProvider } from '../../src/swap/provider.ts'
import { swapQuote } from '../../src/swap/quote.ts'
import { swapStatus } from '../../src/swap/status.ts'
import { pass, settled } from '../fake-time.ts'
import { HASH, QUOTE_QUERY, queryOf, swapDeps, swapWorld } from './rig.ts'

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

/** A provider that never answers, but for its lists where they are not what is asked. */
function held(answersLists: boolean) {
  const asked: string[] = []
  const never = (name: string) => () => {
    asked.push(name)
    return new Promise<never>(() => undefined)
  }
  const provider: SwapProvider = {
    origin: 'https://swap.example',
    routers: null,
    chains: answersLists ? async () => CHAINS : never('chains'),
    tokens: answersLists
      ? async (chainId) => TOKENS.map((token) => ({ chainId, ...token }))
      : never('tokens'),
    quote: never('quote'),
    transfer: never('transfer'),
  }
  return { deps: swapDeps(swapWorld(), provider), asked }
}

const { fromAddress: _, ...indicative } = QUOTE_QUERY

const CALLS: [string, (deps: SwapDeps) => Promise<unknown>, number][] = [
  ['chains', swapChains, 20_000],
  ['quote', (deps) => swapQuote(deps, queryOf(QUOTE_QUERY)), 15_000],
  ['quote', (deps) => swapQuote(deps, queryOf(indicative)), 15_000],
  ['transfer', (deps) => swapStatus(deps, queryOf({ txHash: HASH })), 10_000],
]

test.each(CALLS)('who shares a load of the %s waits as long as its own', async (name, call, ms) => {
  const { deps, asked } = held(name !== 'chains')
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
