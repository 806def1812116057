import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { jsonPost } from '../../caller.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const MINUTE_MS = 60_000

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld({ VENUE_ADVANCE: 'accounts' })
})
afterAll(() => world.stop())

describe('the tool advance_clock', () => {
  test('moves the clock until a price, and answers its reads by path', async () => {
    const before = (await world.call('get_time')).now
    const reads = '/v1/positions /v1/orders'
    const moving = { seconds: 60, times: 3, reads }
    const answer = await world.call('advance_clock', moving)
    expect(answer).toMatchObject({ now: before + 3 * MINUTE_MS, steps_left: 0 })
    expect(answer.steps).toHaveLength(3)
    expect(Object.keys(answer.steps[2].reads)).toEqual(reads.split(' '))
    const found = { seconds: 9, until: 'price_above', symbol: 'eth', value: 1 }
    expect((await world.call('advance_clock', found)).steps).toMatchObject([{ ended: 'price' }])
    const { meta } = await world.refused('advance_clock', { seconds: 1, until: 'price_below' })
    expect(meta).toMatchObject({ parameter: 'symbol', needed_by: 'price_below' })
  })

  test('is refused to an agent that may only read', async () => {
    const { code } = await world.refused(
      'advance_clock',
      { seconds: 1 },
      { limits: { readOnly: true } },
    )
    expect(['forbidden', 'mandate_exceeded']).toContain(code)
  })

  test('is listed where accounts may move the clock, and nowhere else', async () => {
    const listed = async (on: ToolWorld) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
      const answer = await on.fetch('/mcp', jsonPost(body))
      return Object(await answer.json()).result.tools.map(({ name }: Loose) => name)
    }
    expect(await listed(world)).toContain('advance_clock')
    const closed = await openEmbeddedWorld()
    expect(await listed(closed)).not.toContain('advance_clock')
    await closed.stop()
  })
})
