import { describe, expect, test } from 'bun:test'
import { newCaller } from '../../caller.ts'
import { BTC, buy, post, START_MS, time, USDC, world } from '../mandate/gate-world.ts'
import { approvalOf, approve, limit, openApprovalsForEach, show, trader, write } from './world.ts'

openApprovalsForEach()

const MARKET = { symbol: BTC, side: 'BUY', order_type: 'MARKET', order_quantity: 0.01 }
const SHOWN = { needsApproval: true }

/** A position in the BTC market, at the mark price of the world. */
const held = (quantity: number, mode = 'CROSS') => ({
  ...{ symbol: BTC, position_qty: quantity, mark_price: 60_210, margin_mode: mode, leverage: 10 },
  ...{ pending_long_qty: 0, pending_short_qty: 0, cost_position: 0 },
})

/** The time of the world at its begin, to the second. */
const READ = 'Positions as read at 08:00:00 UTC'

const reads = (path: string, options: object) => write({ method: 'GET', path }, options)
const readPositions = (options: object = SHOWN) => reads('/v1/positions', options)
/** The default margin mode of the BTC market is CROSS. */
const readModes = (options: object = SHOWN) => reads('/v1/client/margin_modes', options)

/** What the owner is shown of a write beside its words. */
async function shownOf(asked: Parameters<typeof write>[0], options: object = SHOWN) {
  return show(await approvalOf(asked, options))
}

describe('the approval of a write says who asks', () => {
  test('by the trading key, and by what the program calls itself, if it says anything', async () => {
    const named = await shownOf(buy(150), { ...SHOWN, program: 'an agent/1' })
    expect(named).toMatchObject({ program: 'an agent/1', key: trader.key })
    expect(await shownOf(buy(160))).not.toHaveProperty('program')
  })

  test('and goes for that key alone', async () => {
    const other = newCaller(trader.accountId)
    await world.instance.prove(other)
    const id = await approvalOf(buy(150), SHOWN)
    await approve(id)
    const asked = await approvalOf(buy(150), { ...SHOWN, by: other })
    expect(asked).not.toBe(id)
    expect(await show(asked)).toMatchObject({ state: 'waiting', key: other.key })
    expect(await write(buy(150), SHOWN)).toBe('sent')
    expect(await show(asked)).toMatchObject({ state: 'waiting' })
  })
})

describe('the approval of a write says what it changes', () => {
  test('of the position and the leverage of the account, from positions that were just read', async () => {
    world.positions = [held(0.02)]
    await readPositions()
    await readModes()
    expect((await shownOf(post('/v1/order', MARKET))).effects).toEqual([
      `Position in ${BTC}: long 0.02 → long 0.03`,
      'Leverage of the account: 0.12× → 0.18×',
      READ,
    ])
    const sold = { ...MARKET, side: 'SELL', order_quantity: 0.05 }
    expect((await shownOf(post('/v1/order', sold))).effects[0]).toBe(
      `Position in ${BTC}: long 0.02 → short 0.03`,
    )
  })

  test('and that what becomes of it is not known where that depends on a margin mode that is not', async () => {
    world.positions = [held(0.02, 'ISOLATED')]
    await readPositions()
    const sold = { ...MARKET, side: 'SELL' }
    expect((await shownOf(post('/v1/order', sold))).effects).toEqual([
      `Position in ${BTC}: long 0.02 → not known`,
      'Leverage of the account: 0.12× → not known',
      READ,
    ])
    const named = { ...sold, margin_mode: 'ISOLATED' }
    expect((await shownOf(post('/v1/order', named))).effects).toEqual([
      `Position in ${BTC}: long 0.02 → long 0.01`,
      'Leverage of the account: 0.12× → 0.06×',
      READ,
    ])
  })

  test('of the position of each margin mode, where a market has or gets one of both', async () => {
    world.positions = [held(0.02), held(-0.02, 'ISOLATED')]
    await readPositions()
    await readModes()
    expect((await shownOf(post('/v1/order', MARKET))).effects.slice(0, 2)).toEqual([
      `Position in ${BTC} (CROSS): long 0.02 → long 0.03`,
      `Position in ${BTC} (ISOLATED): short 0.02 → short 0.02`,
    ])
    world.positions = [held(0.02)]
    await readPositions()
    const sold = { ...MARKET, side: 'SELL', margin_mode: 'ISOLATED' }
    expect((await shownOf(post('/v1/order', sold))).effects.slice(0, 2)).toEqual([
      `Position in ${BTC} (CROSS): long 0.02 → long 0.02`,
      `Position in ${BTC} (ISOLATED): none → short 0.01`,
    ])
  })

  test.each([
    ['were never read', async () => undefined],
    [
      'are older than ten seconds',
      async () => {
        await readPositions()
        time.nowMs += 10_001
      },
    ],
    [
      'were read before a write that was sent since',
      async () => {
        await readPositions()
        expect(await write(buy(50))).toBe('sent')
      },
    ],
    ['were relayed without being shown', () => readPositions({})],
  ])('or that it is not known where positions %s', async (_, before) => {
    world.positions = [held(0.02)]
    await before()
    expect((await shownOf(post('/v1/order', MARKET))).effects).toEqual([
      `Position in ${BTC}: not known → not known`,
      'Leverage of the account: not known → not known',
    ])
  })

  test('of an account with a mandate, whose reads are kept as they pass', async () => {
    world.positions = []
    await limit({ approveAboveUsdc: 100n * USDC })
    await readPositions({})
    expect((await shownOf(post('/v1/order', MARKET), {})).effects).toEqual([
      `Position in ${BTC}: none → long 0.01`,
      'Leverage of the account: 0× → 0.06×',
      READ,
    ])
  })

  test('from positions that were read after the latest write, whenever the orders beside them were', async () => {
    world.positions = [held(0.02)]
    await limit({ approveAboveUsdc: 100n * USDC })
    await reads('/v1/algo/orders?status=INCOMPLETE&size=500', {})
    expect(await write(buy(50))).toBe('sent')
    time.nowMs = START_MS + 5000
    await readPositions({})
    await readModes()
    expect((await shownOf(post('/v1/order', MARKET), {})).effects).toEqual([
      `Position in ${BTC}: long 0.02 → long 0.03`,
      'Leverage of the account: 0.12× → 0.18×',
      READ.replace('08:00:00', '08:00:05'),
    ])
  })

  test('of a leverage that is set', async () => {
    const set = post('/v1/client/leverages', { symbol: BTC, leverage: 20 })
    expect((await shownOf(set)).effects).toEqual([`Leverage of ${BTC}: not known → 20`])
    world.positions = [held(0.02)]
    await readPositions()
    const other = post('/v1/client/leverages', { symbol: BTC, leverage: 25 })
    expect((await shownOf(other)).effects).toEqual([`Leverage of ${BTC}: 10 → 25`])
  })

  test('of a leverage without a margin mode, which is that of CROSS, whatever is held or the default', async () => {
    const set = (leverage: number, own: object = {}) =>
      shownOf(post('/v1/client/leverages', { symbol: BTC, leverage, ...own }))
    world.positions = [{ ...held(0.02, 'ISOLATED'), leverage: 3 }]
    await readPositions()
    expect((await set(20)).effects).toEqual([`Leverage of ${BTC}: not known → 20`])
    expect((await set(21, { margin_mode: 'ISOLATED' })).effects).toEqual([
      `Leverage of ${BTC}: 3 → 21`,
    ])
    world.modes = [{ symbol: BTC, default_margin_mode: 'ISOLATED' }]
    await readModes()
    await reads('/v1/client/leverages', SHOWN)
    expect((await set(22)).effects).toEqual([`Leverage of ${BTC}: 10 → 22`])
  })
})
