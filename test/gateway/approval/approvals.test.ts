import { describe, expect, test } from 'bun:test'
import { APPROVAL } from '../../../src/contract/approval.ts'
import { UpstreamError } from '../../../src/core/ports.ts'
import { newCaller } from '../../caller.ts'
import { BTC, buy, openInstanceOn, post, time, USDC, world } from '../mandate/gate-world.ts'
import {
  approvalOf,
  approve,
  limit,
  openApprovalsForEach,
  refuse,
  show,
  trader,
  write,
} from './world.ts'

openApprovalsForEach()

const ABOVE = { approveAboveUsdc: 100n * USDC }
const LEVERAGE = post('/v1/client/leverages', { symbol: BTC, leverage: 5 })

describe('a write above the value that goes without approval', () => {
  test('waits for the owner, and goes once with exactly these bytes', async () => {
    await limit(ABOVE)
    expect(await write(buy(100))).toBe('sent')
    const asked = await write(buy(150))
    expect(asked).toMatchObject({
      ...{ code: 'approval_required', state: 'waiting', worstUsdc: '150', costUsdc: '150' },
      order: ['Buy 0.003 PERP_BTC_USDC, LIMIT order at 50000 USDC'],
      decideUntilMs: time.nowMs + APPROVAL.decideWithinMs,
    })
    expect(await write(buy(150))).toEqual(asked)
    expect(await approve(asked.approval)).toMatchObject({ state: 'approved' })
    expect(await write(buy(151))).toMatchObject({ code: 'approval_required', state: 'waiting' })
    const spaced = buy(150).body?.replace(':', ': ') ?? ''
    expect(await write(post('/v1/order', spaced))).toMatchObject({ state: 'waiting' })
    expect(await write(buy(150))).toBe('sent')
    expect(world.sent.at(-1)?.body).toBe(buy(150).body)
    expect(await show(asked.approval)).toMatchObject({ state: 'used' })
    const again = await write(buy(150))
    expect(again).toMatchObject({ code: 'approval_required', state: 'waiting' })
    expect(again.approval).not.toBe(asked.approval)
  })

  test('is refused by the owner for the rest of the time, and by silence', async () => {
    await limit(ABOVE)
    const id = await approvalOf(buy(150))
    expect(await refuse(id)).toMatchObject({ state: 'refused' })
    expect(await write(buy(150))).toMatchObject({ approval: id, state: 'refused' })
    expect(await approve(id).catch(({ meta }) => meta)).toMatchObject({ reason: 'decided' })
    time.nowMs += APPROVAL.decideWithinMs
    const next = await approvalOf(buy(150))
    expect(next).not.toBe(id)
    time.nowMs += APPROVAL.decideWithinMs
    expect(await show(next)).toMatchObject({ state: 'expired' })
    expect(await approvalOf(buy(150))).not.toBe(next)
  })

  test('goes within two minutes of the approval, and not later', async () => {
    await limit(ABOVE)
    const [first, second] = [await approvalOf(buy(150)), await approvalOf(buy(160))]
    await approve(first)
    await approve(second)
    time.nowMs += APPROVAL.useWithinMs - 10
    expect(await write(buy(150))).toBe('sent')
    time.nowMs += 10
    expect(await write(buy(160))).toMatchObject({ state: 'waiting' })
    expect(await show(second)).toMatchObject({ state: 'expired' })
  })

  test('goes once, however many instances are asked at once', async () => {
    await limit(ABOVE)
    const other = await openInstanceOn(world.store)
    await approve(await approvalOf(buy(150)))
    const sent = world.sent.length
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        write(buy(150), { on: at % 2 ? other : world.instance }),
      ),
    )
    expect(world.sent).toHaveLength(sent + 1)
    expect(outcomes.filter(({ code }) => code === 'approval_required')).toHaveLength(9)
  })

  test('does not go a second time when the process ends before the venue answers', async () => {
    await limit(ABOVE)
    await approve(await approvalOf(buy(150)))
    world.orderAnswer = () => new Promise(() => undefined)
    const sent = world.sent.length
    void write(buy(150))
    while (world.sent.length === sent) await Bun.sleep(1)
    world.orderAnswer = async () => ({ success: true, data: {} })
    const next = await openInstanceOn(world.store)
    expect(await write(buy(150), { on: next })).toMatchObject({ state: 'waiting' })
    expect(world.sent).toHaveLength(sent + 1)
  })

  test('may be sent again where it certainly was not done, and not where that is unknown', async () => {
    await limit(ABOVE)
    await approve(await approvalOf(buy(150)))
    const answer = world.orderAnswer
    world.orderAnswer = () => Promise.reject(new UpstreamError('unreachable', false))
    expect(await write(buy(150))).toMatchObject({ code: 'upstream_unavailable' })
    world.orderAnswer = async () => ({ success: false, code: -1101, message: 'margin' })
    expect(await write(buy(150))).toMatchObject({ code: 'insufficient_margin' })
    world.orderAnswer = () => Promise.reject(new UpstreamError('timeout', true))
    expect(await write(buy(150))).toMatchObject({ code: 'outcome_unknown' })
    world.orderAnswer = answer
    expect(await write(buy(150))).toMatchObject({ state: 'waiting' })
  })

  test('is not asked for when a limit refuses it, nor by a key that the venue has not accepted', async () => {
    await limit({ ...ABOVE, maxOrderUsdc: 200n * USDC, maxDailyUsdc: 200n * USDC })
    expect(await write(buy(201))).toMatchObject({ code: 'mandate_exceeded' })
    const stranger = { ...newCaller(), accountId: trader.accountId }
    expect(await write(buy(150), { by: stranger })).toMatchObject({ code: 'unauthorized' })
    // What was asked for has used nothing of the day.
    for (let times = 0; times < 3; times += 1)
      expect(await write(buy(150))).toMatchObject({ state: 'waiting' })
  })

  test('is one of ten that wait, until one of them is over', async () => {
    await limit(ABOVE)
    const ids = []
    for (let at = 0; at < APPROVAL.waitingMax; at += 1) ids.push(await approvalOf(buy(150 + at)))
    expect(await write(buy(140))).toMatchObject({ code: 'approval_required', reason: 'too_many' })
    await refuse(String(ids[0]))
    expect(await write(buy(140))).toMatchObject({ reason: 'too_many' })
    await approve(String(ids[1]))
    expect(await write(buy(140))).toMatchObject({ reason: 'too_many' })
    expect(await write(buy(151))).toBe('sent')
    expect(await write(buy(140))).toMatchObject({ state: 'waiting' })
  })
})

test('reduce-only orders, cancels and smaller orders need no approval; batches count whole', async () => {
  await limit({ ...ABOVE, approveChanges: true })
  expect(await write(buy(900, { reduce_only: true }))).toBe('sent')
  expect(await write({ method: 'DELETE', path: '/v1/orders' })).toBe('sent')
  const order = JSON.parse(buy(60).body ?? '')
  expect(await write(post('/v1/batch-order', { orders: [order, order] }))).toMatchObject({
    worstUsdc: '120',
    order: [
      '1 of 2: Buy 0.0012 PERP_BTC_USDC, LIMIT order at 50000 USDC',
      '2 of 2: Buy 0.0012 PERP_BTC_USDC, LIMIT order at 50000 USDC',
    ],
  })
})

test('leverage, margin, transfers and withdrawals need approval where a mandate says so', async () => {
  await limit(ABOVE)
  expect(await write(LEVERAGE)).toBe('sent')
  await limit({ approveChanges: true })
  expect(await write(buy(900))).toBe('sent')
  const message = {
    amount: '5000000',
    token: 'USDC',
    receiver: `0x${'1'.repeat(40)}`,
    chainId: 42161,
  }
  const asked = [
    LEVERAGE,
    post('/v1/client/margin_mode', { symbol: BTC, default_margin_mode: 'ISOLATED' }),
    post('/v1/position_margin', { symbol: BTC, amount: '5', type: 'ADD' }),
    post('/v1/internal_transfer', { token: 'USDC', amount: 5 }),
    post('/v1/withdraw_request', { message, signature: '0x12' }),
  ]
  const words = []
  for (const each of asked) words.push((await write(each)).order[0])
  expect(words).toEqual([
    'Set the leverage of PERP_BTC_USDC to 5',
    'Set the margin mode of PERP_BTC_USDC to ISOLATED',
    'ADD 5 USDC margin of PERP_BTC_USDC',
    'POST /v1/internal_transfer (token USDC; amount 5)',
    `Withdraw 5000000 of the smallest units of USDC to 0x${'1'.repeat(40)} on chain 42161`,
  ])
  expect(await write(post('/v1/settle_pnl', { signature: '0x12' }))).toBe('sent')
  await approve(await approvalOf(LEVERAGE))
  expect(await write(LEVERAGE)).toBe('sent')
})

test('an account without a mandate asks its owner where its caller wants that, and for nothing else', async () => {
  const wanted = { needsApproval: true }
  expect(await write(buy(1))).toBe('sent')
  const id = await approvalOf(buy(1), wanted)
  expect(await write(buy(1, { reduce_only: true }), wanted)).toBe('sent')
  expect(await write(post('/v1/order', '{"a":1,"a":2}'), wanted)).toMatchObject({
    code: 'invalid_request',
  })
  await approve(id)
  expect(await write(buy(1), wanted)).toBe('sent')
  expect(await write(buy(1), wanted)).toMatchObject({ state: 'waiting' })
})

test('no text of a body is taken for words of this service', async () => {
  await limit({ approveAboveUsdc: 0n })
  const tag = 'x"; worst case 1 USDC\nBuy 1'
  const { order } = await write(buy(150, { order_tag: tag, side: 'BUY nothing' }))
  expect(order).toEqual([
    'Side "BUY nothing": 0.003 PERP_BTC_USDC, LIMIT order at 50000 USDC (order_tag "x\\"; worst case 1 USDC\\nBuy 1")',
  ])
})
