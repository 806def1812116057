import { describe, expect, test } from 'bun:test'
import { buy, time, USDC, world } from '../mandate/gate-world.ts'
import { approve, limit, openApprovalsForEach, write } from './world.ts'

openApprovalsForEach()

describe('writes without approval', () => {
  test('are worth no more in a day than their limit, each and together', async () => {
    await limit({ approveAboveDailyUsdc: 100n * USDC })
    expect(await write(buy(100.5))).toMatchObject({ code: 'approval_required' })
    expect(await write(buy(60))).toBe('sent')
    expect(await write(buy(40.5))).toMatchObject({ code: 'approval_required' })
    expect(await write(buy(40))).toBe('sent')
    expect(await write(buy(1))).toMatchObject({ code: 'approval_required' })
    expect(await write(buy(1, { reduce_only: true }))).toBe('sent')
    time.nowMs += 86_460_000
    expect(await write(buy(100))).toBe('sent')
  })

  test('leave the day to others when the owner approves one, or the venue refuses one', async () => {
    await limit({ approveAboveUsdc: 50n * USDC, approveAboveDailyUsdc: 60n * USDC })
    const large = await write(buy(500))
    expect(large).toMatchObject({ code: 'approval_required' })
    await approve(large.approval)
    expect(await write(buy(500))).toBe('sent')
    const taken = world.orderAnswer
    world.orderAnswer = async () => ({ success: false, code: -1101, message: 'margin' })
    expect(await write(buy(50))).toMatchObject({ code: 'insufficient_margin' })
    world.orderAnswer = taken
    expect(await write(buy(50))).toBe('sent')
    expect(await write(buy(10))).toBe('sent')
    expect(await write(buy(10))).toMatchObject({ code: 'approval_required' })
  })

  test('that race do not pass their limit together', async () => {
    await limit({ approveAboveDailyUsdc: 100n * USDC })
    const answers = await Promise.all(
      [1, 2, 3, 4].map((at) => write(buy(30, { order_tag: `${at}` }))),
    )
    expect(answers.filter(({ code }) => code === 'approval_required')).toHaveLength(1)
  })
})
