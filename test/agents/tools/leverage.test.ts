import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openEmbeddedWorld, type ToolWorld, writesDuring } from '../tool-world.ts'
import { openWireWorld, type WireWorld } from '../wire-world.ts'

const ETH = 'PERP_ETH_USDC'
const BTC = 'PERP_BTC_USDC'
const SOL = 'PERP_SOL_USDC'
let world: ToolWorld

beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

async function positionIn(symbol: string) {
  const { positions } = await world.call('list_positions')
  return positions.find((row: { symbol: string }) => row.symbol === symbol)
}

test('leverage is set, read and held in the mode of the market', async () => {
  await world.call('set_margin_mode', { symbol: ETH, margin_mode: 'ISOLATED' })
  const set = await world.call('set_leverage', { symbol: ETH, leverage: 25 })
  const isolated = { symbol: ETH, margin_mode: 'ISOLATED', leverage: 25 }
  expect(set).toMatchObject(isolated)
  expect(await world.call('get_leverage', { symbol: ETH })).toEqual(isolated)
  const order = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 0.5 }
  await world.call('place_order', order)
  expect(await positionIn(ETH)).toMatchObject({ margin_mode: 'ISOLATED', leverage: 25 })
})

test('each mode keeps a leverage of its own', async () => {
  await world.call('set_leverage', { symbol: BTC, leverage: 4 })
  await world.call('set_margin_mode', { symbol: BTC, margin_mode: 'ISOLATED' })
  await world.call('set_leverage', { symbol: BTC, leverage: 7 })
  const cross = await world.call('set_margin_mode', { symbol: BTC, margin_mode: 'CROSS' })
  expect(cross).toMatchObject({ symbol: BTC, margin_mode: 'CROSS', leverage: 4 })
  expect((await world.call('get_leverage', { symbol: BTC })).leverage).toBe(4)
})

test('the leverage of an isolated position stays, and the tool says that it does', async () => {
  const isolated = { symbol: SOL, margin_mode: 'ISOLATED' }
  await world.call('set_margin_mode', isolated)
  const { leverage } = await world.call('get_leverage', { symbol: SOL })
  const order = { symbol: SOL, side: 'SELL', order_type: 'MARKET', order_quantity: 2 }
  await world.call('place_order', order)
  const writes = await writesDuring(world, async () => {
    const failure = await world.refused('set_leverage', { symbol: SOL, leverage: leverage + 5 })
    expect(failure.code).toBe('invalid_request')
    expect(failure.meta.next).toContain('close the position')
  })
  expect(JSON.parse(writes[0]?.body ?? '')).toMatchObject({ margin_mode: 'ISOLATED' })
  expect(await positionIn(SOL)).toMatchObject({ margin_mode: 'ISOLATED', leverage })
})

describe('a setting that the venue takes and does not keep is a failure', () => {
  let recorded: WireWorld
  beforeAll(async () => {
    recorded = await openWireWorld()
  })
  afterAll(() => recorded.stop())

  test.each([
    [
      'set_leverage',
      { symbol: 'PERP_OLD_USDC', leverage: 5 },
      { margin_mode: 'ISOLATED', leverage: 19 },
    ],
    [
      'set_margin_mode',
      { symbol: 'PERP_OLD_USDC', margin_mode: 'CROSS' },
      { margin_mode: 'ISOLATED' },
    ],
    ['set_leverage', { symbol: BTC, leverage: 5 }, { margin_mode: 'CROSS', leverage: 10 }],
  ])('%s %j', async (name, args, venue) => {
    const failure = await recorded.world.refused(name, args)
    expect(failure).toMatchObject({ code: 'venue_rejected', retryable: false, meta: { venue } })
  })

  test('and one that cannot be read again is an unknown outcome with its look-up', async () => {
    const args = { symbol: 'PERP_OLD_USDC', leverage: 19 }
    expect(await recorded.world.call('set_leverage', args)).toEqual({
      ...args,
      margin_mode: 'ISOLATED',
    })
    recorded.instead.set('GET /v1/client/leverage', 'close')
    const failure = await recorded.world.refused('set_leverage', args)
    expect(failure).toMatchObject({
      code: 'outcome_unknown',
      meta: {
        look_up: { tool: 'get_leverage', arguments: { symbol: 'PERP_OLD_USDC' } },
        next: expect.stringMatching(/^The venue took the change/),
      },
    })
  })
})
