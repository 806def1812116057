import { describe, expect, test } from 'bun:test'
import { BTC, buy, mandate, openWorldForEach, outcomeOf, post, time, world } from './gate-world.ts'

openWorldForEach()

const isolated = (own: object = {}) => buy(100, { margin_mode: 'ISOLATED', ...own })
const read = (path: string) => outcomeOf({ method: 'GET', path })
const readModes = async () => {
  expect(await read('/v1/client/margin_modes')).toBe('sent')
  expect(await read('/v1/client/leverages')).toBe('sent')
}

describe('an order in another margin mode than the default of its market', () => {
  test('needs the approval that a change of mode needs', async () => {
    await mandate({ approveChanges: true })
    const change = post('/v1/client/margin_mode', { symbol: BTC, default_margin_mode: 'ISOLATED' })
    for (const asked of [change, isolated(), buy(100, { margin_mode: 'CROSS' })])
      expect(await outcomeOf(asked)).toMatchObject({ code: 'approval_required' })
    expect(await outcomeOf(buy(100))).toBe('sent')
    expect(await outcomeOf(isolated({ reduce_only: true }))).toBe('sent')
    await readModes()
    expect(await outcomeOf(isolated())).toMatchObject({ code: 'approval_required' })
    expect(await outcomeOf(buy(100, { margin_mode: 'CROSS' }))).toBe('sent')
    time.nowMs += 10_001
    expect(await outcomeOf(buy(100, { margin_mode: 'CROSS' }))).toMatchObject({
      code: 'approval_required',
    })
  })

  test('counts at the leverage of that mode, and so does the change of the mode', async () => {
    world.positions = []
    const change = post('/v1/client/margin_mode', { symbol: BTC, default_margin_mode: 'ISOLATED' })
    await mandate({ maxLeverage: 4 })
    for (const asked of [isolated(), change])
      expect(await outcomeOf(asked)).toMatchObject({ reason: 'unknown' })
    await readModes()
    for (const asked of [isolated(), change])
      expect(await outcomeOf(asked)).toMatchObject({ reason: 'leverage', limit: 4, requested: 5 })
    await mandate({ maxLeverage: 5 })
    await readModes()
    expect(await outcomeOf(change)).toBe('sent')
    // The change is not known to have been made.
    expect(await outcomeOf(isolated())).toMatchObject({ reason: 'unknown' })
    expect(await outcomeOf(isolated({ reduce_only: true }))).toBe('sent')
  })
})
