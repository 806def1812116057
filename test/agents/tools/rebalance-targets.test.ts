import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

describe('targets', () => {
  test.each([
    [{}, 'missing'],
    [{ [ETH]: 0.1, eth: 0.1 }, 'repeated'],
    [{ [ETH]: 1000 }, 'out_of_range'],
    [{ [ETH]: 'much' }, 'malformed'],
    [{ [ETH]: 1e-30 }, 'malformed'],
  ])('%p are refused: %s', async (targets, reason) => {
    expect((await world.refused('rebalance', { targets })).meta).toMatchObject({
      parameter: 'targets',
      reason,
    })
  })

  test('are given, or a plan, and not both', async () => {
    expect((await world.refused('rebalance')).meta.parameter).toBe('targets')
    const both = { targets: { [ETH]: 0.1 }, plan: { id: '' } }
    expect((await world.refused('rebalance', both)).meta.parameter).toBe('plan')
  })

  test('of a read-only agent make no plan, and no plan is sent', async () => {
    const limits = { readOnly: true }
    const targets = { [ETH]: 0.2 }
    const { plan } = await world.call('rebalance', { targets })
    for (const args of [{ plan }, { targets }])
      expect((await world.refused('rebalance', args, { limits })).code).toBe('mandate_exceeded')
  })
})
