import { afterEach, describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { SwapStatusAnswer } from '../../../src/contract/swap-answers.ts'
import { StatusRefusal } from '../../../src/gateway/swap/refusal.ts'
import { swapStatus } from '../../../src/gateway/swap/status.ts'
import {
  HASH,
  queryOf,
  START_MS,
  stopSwapUpstreams,
  swapDeps,
  swapFixture,
  swapWorld,
  wireWith,
} from './fixture.ts'

afterEach(stopSwapUpstreams)

async function refusalOf(call: Promise<unknown>) {
  const error = await call.then(
    () => 'an answer',
    (reason: unknown) => reason,
  )
  if (!(error instanceof StatusRefusal)) throw new Error(`no StatusRefusal but ${error}`)
  return { status: error.status, error: error.error, retryAfterSeconds: error.retryAfterSeconds }
}

const ASKED = queryOf({ txHash: HASH })

test('a transfer that is done is told with our own links, and not asked for again within the hour', async () => {
  const { deps, sent, world } = await swapFixture()
  const answer = await swapStatus(deps, ASKED)
  const transfer: SwapStatusAnswer = JSON.parse(answer.reply.text())
  expect([...Value.Errors(SwapStatusAnswer, transfer)]).toEqual([])
  expect(transfer).toMatchObject({ status: 'DONE', substatus: 'COMPLETED', final: true })
  expect(transfer.sending).toMatchObject({
    txLink: `https://arbiscan.io/tx/${HASH}`,
    amount: '129486280',
    gasAmount: '4771740000000',
    timestamp: 1_729_163_645_000,
  })
  expect(transfer.receiving?.txLink).toBe(`https://basescan.org/tx/0x${'2'.repeat(64)}`)
  expect(transfer.updatedAt).toBe(START_MS)
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.reply.text()).not.toMatch(/li\.?fi|stargate|layerzero|fee-demo|0x0959ee/i)
  world.nowMs += 3_599_000
  await swapStatus(deps, queryOf({ txHash: HASH, fromChain: '42161', quoteId: 'x'.repeat(300) }))
  expect(sent('status')).toHaveLength(1)
})

test('one under way is asked for every three seconds, however many ask', async () => {
  const pending = { status: 'PENDING', substatus: 'WAIT_DESTINATION_TRANSACTION' }
  const receiving = { chainId: 8453 }
  const { deps, sent, world } = await swapFixture({
    status: { json: wireWith('status', { ...pending, receiving }) },
  })
  const [answer] = await Promise.all([1, 2, 3].map(() => swapStatus(deps, ASKED)))
  expect(JSON.parse(answer?.reply.text() ?? '')).toMatchObject({
    status: 'PENDING',
    final: false,
    receiving: { chainId: 8453, txHash: null, txLink: null, amount: null, token: null },
  })
  world.nowMs += 2999
  await swapStatus(deps, ASKED)
  expect(sent('status')).toHaveLength(1)
  world.nowMs += 1
  await swapStatus(deps, ASKED)
  expect(sent('status')).toHaveLength(2)
})

test('a hash nobody has seen is an answer, without ends and addresses', async () => {
  const { deps } = await swapFixture({
    status: { json: wireWith('status', { status: 'NOT_FOUND' }) },
  })
  expect(JSON.parse((await swapStatus(deps, ASKED)).reply.text())).toEqual({
    status: 'NOT_FOUND',
    substatus: null,
    final: false,
    sending: null,
    receiving: null,
    fees: [],
    fromAddress: null,
    toAddress: null,
    updatedAt: START_MS,
  })
})

test('chains are hints: one that is served is sent, another is not', async () => {
  const { deps, sent } = await swapFixture()
  await swapStatus(
    deps,
    queryOf({ txHash: HASH.toUpperCase().replace('0X', '0x'), fromChain: '42161', toChain: '5' }),
  )
  expect(sent('status')[0]?.target).toBe(`/v1/status?txHash=${HASH}&fromChain=42161`)
})

test('without the chain list a transfer still has its state, only no links', async () => {
  const { deps } = await swapFixture({ chains: { status: 400, json: {} } })
  const transfer = JSON.parse((await swapStatus(deps, ASKED)).reply.text())
  expect(transfer).toMatchObject({ status: 'DONE', sending: { txHash: HASH, txLink: null } })
})

describe('what is malformed is refused in a sentence, and nothing is sent', () => {
  const hash = 'Give a transaction hash: 0x and 64 hex characters.'
  const chain = 'Chain ids must be whole numbers.'
  test.each([
    [{}, hash],
    [{ txHash: '' }, hash],
    [{ txHash: '1'.repeat(64) }, hash],
    [{ txHash: `${HASH}0` }, hash],
    [{ txHash: HASH, fromChain: 'eth' }, chain],
    [{ txHash: HASH, toChain: '1.5' }, chain],
  ])('%j', async (values, error) => {
    const { deps, server } = await swapFixture()
    const refusal = await refusalOf(swapStatus(deps, queryOf(values)))
    expect(refusal).toMatchObject({ status: 400, error })
    expect(server.requests).toEqual([])
  })

  test('a repeated hash or chain', async () => {
    const { deps, server } = await swapFixture()
    const twice = (name: string) => new Map(ASKED).set(name, ['1', '1'])
    expect((await refusalOf(swapStatus(deps, twice('txHash')))).error).toBe(hash)
    expect((await refusalOf(swapStatus(deps, twice('toChain')))).error).toBe(chain)
    expect(server.requests).toEqual([])
  })
})

test.each([
  [{ status: 500, json: {} }, 502, undefined],
  [{ status: 429, json: {}, headers: { 'ratelimit-reset': '9' } }, 503, 9],
  [{ status: 504, json: { code: 1009 } }, 504, undefined],
  [{ json: wireWith('status', { sending: null }) }, 502, undefined],
])('an upstream in trouble (%j) is %d', async (spec, status, retryAfterSeconds) => {
  const { deps } = await swapFixture({ status: spec })
  expect(await refusalOf(swapStatus(deps, ASKED))).toMatchObject({ status, retryAfterSeconds })
})

test('without a provider the status is not available', async () => {
  expect((await refusalOf(swapStatus(swapDeps(swapWorld(), null), ASKED))).status).toBe(503)
})
