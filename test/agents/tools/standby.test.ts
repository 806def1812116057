import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

test('a standby is armed, renewed, shown and withdrawn', async () => {
  expect(await world.call('standby', { action: 'show' })).toMatchObject({ state: 'none' })
  const beganMs = Date.now()
  const armed = await world.call('standby', { action: 'arm', after_seconds: 600 })
  expect(armed.state).toBe('armed')
  expect(armed.sends_at_ms - beganMs).toBeWithin(600_000, 660_000)
  expect(armed.renew_before_ms - beganMs).toBeWithin(760_000, 800_000)
  const renewed = await world.call('standby', { action: 'arm' })
  expect(renewed.sends_at_ms - beganMs).toBeWithin(120_000, 180_000)
  expect(await world.call('standby', { action: 'show' })).toEqual(renewed)
  expect(await world.call('standby', { action: 'withdraw' })).toMatchObject({ state: 'withdrawn' })
  expect(world.audit.map(({ tool, code }) => `${tool} ${code}`)).toEqual(
    Array(3).fill('standby ok'),
  )
})

test('a standby of one market cancels there alone, and of no market that there is not', async () => {
  await world.call('standby', { action: 'arm', symbol: 'PERP_ETH_USDC' })
  const refused = await world.refused('standby', { action: 'arm', symbol: 'PERP_NONE_USDC' })
  expect(refused).toMatchObject({ code: 'not_found' })
})

test('a standby is refused where an agent only reads, or may not trade every market', async () => {
  const readOnly = { limits: { readOnly: true } }
  const narrow = { limits: { symbols: ['PERP_BTC_USDC'] } }
  expect(await world.refused('standby', { action: 'arm' }, readOnly)).toMatchObject({
    code: 'mandate_exceeded',
  })
  expect(await world.refused('standby', { action: 'arm' }, narrow)).toMatchObject({
    code: 'mandate_exceeded',
  })
  const short = { action: 'arm', after_seconds: 9 }
  expect(await world.refused('standby', short)).toMatchObject({ code: 'invalid_request' })
})
