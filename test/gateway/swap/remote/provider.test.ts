import { afterEach, describe, expect, test } from 'bun:test'
import { headerOf } from '../../../recording-upstream.ts'
import {
  failureOf,
  HASH,
  ORDER,
  stopSwapUpstreams,
  swapFixture,
  WALLET,
  wireWith,
} from '../fixture.ts'

afterEach(stopSwapUpstreams)

const LOOK_UP = { txHash: HASH, fromChainId: null, toChainId: null }

describe('what is sent', () => {
  test('a quote: the order in the wire’s units, the key as a header and nowhere else', async () => {
    const { provider, server, world } = await swapFixture({}, { key: 'top-secret' })
    await provider.quote(ORDER)
    const [request] = server.requests
    expect(request?.method).toBe('GET')
    const query = Object.fromEntries(new URLSearchParams(request?.target.split('?')[1]))
    expect(query).toEqual({
      fromChain: '42161',
      toChain: '8453',
      fromToken: ORDER.fromToken,
      toToken: ORDER.toToken,
      fromAmount: '100000000',
      fromAddress: WALLET.toLowerCase(),
      toAddress: WALLET.toLowerCase(),
      slippage: '0.005',
      order: 'CHEAPEST',
    })
    expect(request && headerOf(request, 'x-lifi-api-key')).toBe('top-secret')
    expect(JSON.stringify(world.lines)).not.toContain('top-secret')
  })

  test('a price without a wallet is asked for somebody who holds nothing', async () => {
    const { provider, server } = await swapFixture()
    await provider.quote({ ...ORDER, wallets: null, slippageBps: 2000 })
    const query = new URLSearchParams(server.requests[0]?.target.split('?')[1])
    expect(query.get('fromAddress')).toEndWith('dead')
    expect(query.get('skipSimulation')).toBe('true')
    expect(query.get('slippage')).toBe('0.2')
    expect(server.requests[0] && headerOf(server.requests[0], 'x-lifi-api-key')).toBeUndefined()
  })
})

describe('lists', () => {
  test('only EVM main networks are chains', async () => {
    const { provider } = await swapFixture()
    const chains = await provider.chains()
    expect(chains.map(({ chainId }) => chainId)).toEqual([1, 137, 42161, 8453])
    expect(chains[1]).toEqual({
      chainId: 137,
      name: 'Polygon',
      nativeSymbol: 'POL',
      nativeDecimals: 18,
      explorer: 'https://polygonscan.com',
    })
  })

  test('tokens of other chains and tokens that are none are left out', async () => {
    const { provider } = await swapFixture()
    const symbols = (await provider.tokens(1)).map(({ symbol }) => symbol)
    expect(symbols).toEqual(['USDC', 'ETH', '1INCH', 'SUSHI', 'STG', 'CRV'])
    expect(await provider.tokens(10)).toEqual([])
  })
})

const STATES: readonly (readonly [string, string | undefined, string, string | null])[] = [
  ['NOT_FOUND', undefined, 'NOT_FOUND', null],
  ['INVALID', undefined, 'NOT_FOUND', null],
  ['PENDING', 'WAIT_SOURCE_CONFIRMATIONS', 'PENDING', 'WAITING_SOURCE'],
  ['PENDING', 'INTENT_AWAITING_FUNDS', 'PENDING', 'WAITING_SOURCE'],
  ['PENDING', 'WAIT_DESTINATION_TRANSACTION', 'PENDING', 'WAITING_DESTINATION'],
  ['PENDING', 'INTENT_READY', 'PENDING', 'WAITING_DESTINATION'],
  ['PENDING', 'INTENT_EXECUTING', 'PENDING', 'WAITING_DESTINATION'],
  ['PENDING', 'INTENT_FAILED_RETRYABLE', 'PENDING', 'WAITING_DESTINATION'],
  ['PENDING', 'INTENT_SIMULATION_FAILURE', 'PENDING', 'WAITING_DESTINATION'],
  ['PENDING', 'REFUND_IN_PROGRESS', 'PENDING', 'REFUND_IN_PROGRESS'],
  ['PENDING', 'BRIDGE_NOT_AVAILABLE', 'PENDING', 'UNKNOWN'],
  ['PENDING', 'CHAIN_NOT_AVAILABLE', 'PENDING', 'UNKNOWN'],
  ['PENDING', 'UNKNOWN_ERROR', 'PENDING', 'UNKNOWN'],
  ['PENDING', 'a new one', 'PENDING', 'UNKNOWN'],
  ['DONE', 'COMPLETED', 'DONE', 'COMPLETED'],
  ['DONE', 'PARTIAL', 'DONE', 'PARTIAL'],
  ['DONE', 'REFUNDED', 'FAILED', 'REFUNDED'],
  ['DONE', 'a new one', 'DONE', 'UNKNOWN'],
  ['DONE', undefined, 'DONE', 'UNKNOWN'],
  ['a new one', 'COMPLETED', 'PENDING', 'UNKNOWN'],
  ['FAILED', 'REFUNDED', 'FAILED', 'REFUNDED'],
  ['FAILED', 'INSUFFICIENT_ALLOWANCE', 'FAILED', 'INSUFFICIENT_FUNDS'],
  ['FAILED', 'INSUFFICIENT_BALANCE', 'FAILED', 'INSUFFICIENT_FUNDS'],
  ['FAILED', 'OUT_OF_GAS', 'FAILED', 'OUT_OF_GAS'],
  ['FAILED', 'EXPIRED', 'FAILED', 'EXPIRED'],
  ['FAILED', 'SLIPPAGE_EXCEEDED', 'FAILED', 'SLIPPAGE_EXCEEDED'],
  ['FAILED', 'NOT_PROCESSABLE_REFUND_NEEDED', 'FAILED', 'REFUND_NEEDED'],
  ['FAILED', 'UNKNOWN_FAILED_ERROR', 'FAILED', 'UNKNOWN'],
  ['FAILED', 'UNKNOWN_ERROR', 'FAILED', 'UNKNOWN'],
  ['FAILED', undefined, 'FAILED', 'UNKNOWN'],
]

describe('states of a transfer', () => {
  test.each(STATES)('%s %p is %s %p', async (status, substatus, ours, detail) => {
    const { provider } = await swapFixture({
      status: { json: wireWith('status', { status, substatus }) },
    })
    const { state } = await provider.transfer(LOOK_UP)
    expect(state).toEqual({ status: ours, substatus: detail } as typeof state)
  })

  test('a hash the provider does not know is not found, whatever way it says so', async () => {
    const { provider } = await swapFixture({
      status: { status: 404, json: { code: 1003, message: 'x' } },
    })
    expect((await provider.transfer(LOOK_UP)).state.status).toBe('NOT_FOUND')
  })

  test('the transfer of another hash is no answer', async () => {
    const { provider, world } = await swapFixture()
    const other = { ...LOOK_UP, txHash: `0x${'9'.repeat(64)}` }
    expect(await failureOf(provider.transfer(other))).toEqual({ code: 'upstream_unavailable' })
    expect(world.lines).toContainEqual({
      level: 'warn',
      event: 'swap.answer_malformed',
      fields: { field: 'txHash' },
    })
  })
})

const MALFORMED: readonly (readonly [string, unknown])[] = [
  ['action', null],
  ['estimate', 7],
  ['action.fromToken', null],
  ['action.fromToken.decimals', 37],
  ['action.fromToken.chainId', 1],
  ['action.toToken.address', 'native'],
  ['action.fromAmount', '100000001'],
  ['action.toAddress', undefined],
  ['estimate.toAmount', '1e18'],
  ['estimate.toAmountMin', -1],
  ['estimate.approvalAddress', undefined],
  ['estimate.feeCosts.0.amount', 'many'],
  ['transactionRequest.data', 5],
  ['transactionRequest.value', 'all of it'],
  ['transactionRequest.to', 'li.fi'],
]

describe('a quote that cannot be read is no answer', () => {
  test.each(MALFORMED)('%s %p', async (path, value) => {
    const { provider, world } = await swapFixture({
      quote: { json: wireWith('quote', { [path]: value }) },
    })
    expect(await failureOf(provider.quote(ORDER))).toEqual({ code: 'upstream_unavailable' })
    expect(world.lines.map(({ event }) => event)).toEqual(['swap.answer_malformed'])
  })
})
