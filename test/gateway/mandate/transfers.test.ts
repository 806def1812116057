import { expect, test } from 'bun:test'
import { mandate, openWorldForEach, outcomeOf, post, time, USDC, world } from './gate-world.ts'

openWorldForEach()

const receiver = (amount: string | number) => ({ account_id: `0x${'1'.repeat(64)}`, amount })
const transfer = (amounts: readonly (string | number)[], own: object = {}) =>
  post('/v1/internal_transfer', { token: 'USDC', receiver_list: amounts.map(receiver), ...own })

test('internal transfers of a day move no more than their limit, to all receivers together', async () => {
  world.orderAnswer = async () => ({ success: true, data: {} })
  await mandate({ maxTransferUsdc: 100n * USDC })
  expect(await outcomeOf(transfer(['60', 40.5]))).toMatchObject({
    ...{ code: 'mandate_exceeded', reason: 'daily_value' },
    ...{ limit: 100, requested: 100.5, left: 100 },
  })
  expect(world.sent).toEqual([])
  expect(await outcomeOf(transfer(['40', 20]))).toBe('sent')
  expect(await outcomeOf(transfer(['40.1']))).toMatchObject({ left: 40 })
  expect(await outcomeOf(transfer(['40']))).toBe('sent')
  time.nowMs += 86_460_000
  expect(await outcomeOf(transfer(['100']))).toBe('sent')
})

test('a transfer that the venue refused moves nothing, one of unknown outcome may have', async () => {
  await mandate({ maxTransferUsdc: 100n * USDC })
  world.orderAnswer = async () => ({ success: false, code: -1005, message: 'no' })
  expect(await outcomeOf(transfer(['100']))).toMatchObject({ code: 'invalid_request' })
  world.orderAnswer = () => Promise.reject(new Error('lost'))
  expect(await outcomeOf(transfer(['60']))).toMatchObject({ code: 'outcome_unknown' })
  world.orderAnswer = async () => ({ success: true, data: {} })
  expect(await outcomeOf(transfer(['41']))).toMatchObject({ reason: 'daily_value', left: 40 })
})

test.each([
  ['another token', { token: 'ETH' }],
  ['no token', { token: undefined }],
  ['a member that is not known', { amount: 1 }],
  ['receivers that are no list', { receiver_list: receiver(1) }],
  ['a receiver with a member that is not known', { receiver_list: [{ ...receiver(1), value: 5 }] }],
])('a transfer with %s cannot be judged by its limit, and goes without one', async (_, own) => {
  world.orderAnswer = async () => ({ success: true, data: {} })
  await mandate({ maxTransferUsdc: 100n * USDC })
  expect(await outcomeOf(transfer(['1'], own))).toMatchObject({ reason: 'unknown' })
  await mandate({ maxOrderUsdc: 1n, maxDailyUsdc: 1n, reduceOnly: true })
  expect(await outcomeOf(transfer(['1'], own))).toBe('sent')
})
