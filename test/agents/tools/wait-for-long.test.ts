import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Timers } from '../../../src/agents/tool.ts'
import { openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const SYMBOL = 'PERP_ETH_USDC'

let world: ToolWorld
let price: number
beforeAll(async () => {
  world = await openEmbeddedWorld()
  price = (await world.call('get_market', { symbol: SYMBOL })).market.mark_price
})
afterAll(() => world.stop())

describe('a wait over an open transport', () => {
  /** An open call whose timers sleep by the test's leave, and the progress that it sent. */
  function openCall() {
    const [cancelled, inputEnded] = [new AbortController(), new AbortController()]
    const progress: (readonly [number, number, string])[] = []
    let deadlineMs = 0
    const timers: Timers = {
      sleep: () => Bun.sleep(1),
      deadline: (ms) => {
        deadlineMs = ms
        return new AbortController().signal
      },
    }
    return {
      cancelled,
      inputEnded,
      progress,
      deadlineMs: () => deadlineMs,
      changes: {
        timers,
        openCall: {
          cancelled: cancelled.signal,
          inputEnded: inputEnded.signal,
          progress: async (...sent: [number, number, string]) => void progress.push(sent),
        },
      },
    }
  }

  const asked = (timeoutSeconds: number) => ({
    symbol: SYMBOL,
    until: 'price_above',
    value: price * 2,
    timeoutSeconds,
  })

  test('lasts up to ten minutes and sends progress that rises, until it is cancelled', async () => {
    const call = openCall()
    const waited = world.call('wait_for', asked(600), call.changes)
    while (call.progress.length < 3 || call.progress.at(-1)?.[2] === 'not yet') await Bun.sleep(1)
    expect(call.deadlineMs()).toBe(600_000)
    call.cancelled.abort()
    expect(await waited).toMatchObject({ met: false, observed: price })
    expect(call.progress.slice(0, 3).map(([seconds, total]) => [seconds, total])).toEqual([
      [5, 600],
      [10, 600],
      [15, 600],
    ])
    expect(call.progress.at(-1)?.[2]).toBe(`now ${price}`)
    const count = call.progress.length
    await Bun.sleep(5)
    expect(call.progress).toHaveLength(count)
  })

  test('of over 50 s ends when the client sends nothing more; a short one is waited out', async () => {
    const long = openCall()
    const waited = world.call('wait_for', asked(51), long.changes)
    while (long.progress.length < 1) await Bun.sleep(1)
    long.inputEnded.abort()
    expect(await waited).toMatchObject({ met: false })
    const short = openCall()
    short.inputEnded.abort()
    const answer = world.call('wait_for', asked(50), short.changes)
    while (short.progress.length < 3) await Bun.sleep(1)
    short.cancelled.abort()
    expect(await answer).toMatchObject({ met: false })
  })

  test('is refused beyond ten minutes, and beyond 50 s without progress', async () => {
    const { changes } = openCall()
    const long = await world.refused('wait_for', asked(601), changes)
    expect(long.meta).toMatchObject({ parameter: 'timeoutSeconds', maximum: 600 })
    const { changes: silent } = openCall()
    const open = { ...silent.openCall, progress: null }
    expect(
      (await world.refused('wait_for', asked(51), { ...silent, openCall: open })).meta,
    ).toMatchObject({ maximum: 50 })
    const { meta } = await world.refused('wait_for', asked(51))
    expect(meta).toMatchObject({ reason: 'out_of_range', maximum: 50, suggestion: 50 })
    expect(meta.next).toContain('call again')
  })
})
