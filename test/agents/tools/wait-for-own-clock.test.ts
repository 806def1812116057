// Slow: the venue lives through minutes, a second at a time.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { instructionsFor } from '../../../src/agents/protocol/instructions.ts'
import { TIMERS } from '../../../src/agents/tool-waits.ts'
import { openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const SYMBOL = 'PERP_ETH_USDC'
const OWNED = { ownsClock: true, timers: TIMERS } as const

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld({ VENUE_ADVANCE: 'accounts' })
})
afterAll(() => world.stop())

const nowMs = async () => (await world.call('advance_clock', { seconds: 0 })).now

describe('a wait of an account that owns its clock', () => {
  test('lets venue time pass, as long as it was to wait, and no real time', async () => {
    const fromMs = await nowMs()
    const never = { symbol: SYMBOL, until: 'price_above', value: 1e6, timeoutSeconds: 50 }
    const look = await world.call('wait_for', never, OWNED)
    expect(look).toMatchObject({ met: false, ts: fromMs + 50_000 })
    expect(await nowMs()).toBe(fromMs + 50_000)
  })

  test('ends as soon as what it is for is there, and lets no time pass where it is there already', async () => {
    const fromMs = await nowMs()
    const now = { symbol: SYMBOL, until: 'price_above', value: 1 }
    expect(await world.call('wait_for', now, OWNED)).toMatchObject({ met: true, ts: fromMs })
    const candle = { symbol: SYMBOL, until: 'candle_close', timeoutSeconds: 50 }
    const looks = [await world.call('wait_for', candle, OWNED)]
    looks.push(await world.call('wait_for', candle, OWNED))
    expect(looks.some(({ met }) => met)).toBe(true)
    expect(await nowMs()).toBeLessThan(fromMs + 100_000)
  })

  test('fails as an advance does where the account may not move the clock', async () => {
    const other = await openEmbeddedWorld()
    const never = { symbol: SYMBOL, until: 'price_above', value: 1e6 }
    const { code, meta } = await other.refused('wait_for', never, OWNED)
    expect([code, meta.reason]).toEqual(['forbidden', 'operator_only'])
    await other.stop()
  })
})

test('the instructions say that time stands between calls only where the account owns its clock', () => {
  expect(instructionsFor('embedded', true)).toContain('passes only with advance_clock')
  expect(instructionsFor('embedded')).not.toContain('advance_clock')
  expect(instructionsFor('unknown', true)).not.toContain('advance_clock')
})
