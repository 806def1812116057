import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { OpenCall, Timers } from '../../../src/agents/tool.ts'
import { createToolWaits } from '../../../src/agents/tool-waits.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld, virtualTimers } from '../tool-world.ts'

const SYMBOL = 'PERP_ETH_USDC'

let world: ToolWorld
let price: number

beforeAll(async () => {
  world = await openEmbeddedWorld()
  const { market } = await world.call('get_market', { symbol: SYMBOL })
  price = market.mark_price
})
afterAll(() => world.stop())

/** Timers for waits that end by what they wait for. */
const ENDLESS: Timers = {
  sleep: () => Bun.sleep(1),
  deadline: () => new AbortController().signal,
}

function wait(args: object, timers = ENDLESS): Promise<Loose> {
  return world.call('wait_for', { symbol: SYMBOL, timeoutSeconds: 1, ...args }, { timers })
}

/** A wait whose time is over once it has seen one message or one answer. */
function waitOnce(args: object, on = world): Promise<Loose> {
  const timers = virtualTimers()
  async function* listen(...given: Parameters<ToolWorld['client']['listen']>) {
    for await (const message of on.client.listen(...given)) {
      yield message
      if (Object(message).type === 'snapshot') timers.pass(1000)
    }
  }
  const client = { ...on.client, listen }
  return on.call('wait_for', { symbol: SYMBOL, timeoutSeconds: 1, ...args }, { client, timers })
}

/** A wait during which a minute of the venue's time passes after each message and at each pause. */
function waitMinutes(args: object, on = world, openCall: OpenCall = OPEN_CALL): Promise<Loose> {
  const passMinute = async () => {
    await on.ops('/venue/advance?ms=60000', { method: 'POST' })
  }
  async function* listen(...given: Parameters<ToolWorld['client']['listen']>) {
    for await (const message of on.client.listen(...given)) {
      yield message
      await passMinute()
    }
  }
  const client = { ...on.client, listen }
  const timers = { ...ENDLESS, sleep: passMinute }
  return on.call('wait_for', { symbol: SYMBOL, ...args }, { client, timers, openCall })
}

/** A call on a transport that stays open, which nobody ends. */
const OPEN_CALL = {
  cancelled: new AbortController().signal,
  inputEnded: new AbortController().signal,
  progress: null,
}

describe('waiting for what anybody may read', () => {
  test.each([
    ['price_above', -1],
    ['price_below', 1],
  ] as const)('%s is met at once when it is so already, and signs nothing', async (until, off) => {
    const signed = world.sent.length
    expect(await wait({ until, value: price + off, timeoutSeconds: 20 })).toEqual({
      observed: price,
      met: true,
      ts: Date.UTC(2026, 0, 1),
    })
    expect(world.sent).toHaveLength(signed)
  })

  test('running out of time is no error, and answers what was seen', async () => {
    const looked = await waitOnce({ until: 'price_above', value: price * 2 })
    expect(looked).toMatchObject({ met: false, observed: price })
    const funding = await waitOnce({ until: 'funding_below', value: -1 })
    expect(funding).toMatchObject({ met: false })
    expect(funding.observed).toBeNumber()
  })

  // Slow: the venue lives through a minute at a time until a candle closes.
  test('a candle that closes after the call is waited for, and those before it are none', async () => {
    expect(await waitOnce({ until: 'candle_close' })).toMatchObject({ met: false })
    const { ts: calledMs } = await world.call('get_orderbook', { symbol: SYMBOL })
    const { met, observed } = await waitMinutes({ until: 'candle_close', timeoutSeconds: 50 })
    expect(met).toBe(true)
    expect(observed.timestamp % 60_000).toBe(0)
    expect(observed.timestamp + 60_000).toBeGreaterThan(calledMs)
  })

  test('a market is found by any of its names, and one that is not there is refused', async () => {
    expect(await wait({ symbol: 'eth', until: 'price_above', value: 1 })).toMatchObject({
      met: true,
    })
    const { code } = await world.refused('wait_for', {
      symbol: 'PERP_NOPE_USDC',
      until: 'candle_close',
    })
    expect(code).toBe('not_found')
  })
})

describe('where the service has no live data, waiting', () => {
  let quiet: ToolWorld
  beforeAll(async () => {
    quiet = await openEmbeddedWorld({ VENUE_STREAM: 'off', VENUE_STREAM_PRIVATE: 'off' })
  })
  afterAll(() => quiet.stop())

  test('reads again and again instead, and meets the same conditions', async () => {
    expect((await quiet.fetch('/api/prep/stream?topics=marks')).status).toBe(503)
    const ask = (args: object) => quiet.call('wait_for', { symbol: SYMBOL, ...args })
    expect(await ask({ until: 'price_above', value: 1 })).toMatchObject({ met: true })
    const funding = await ask({ until: 'funding_below', value: -1, timeoutSeconds: 1 })
    expect(funding).toMatchObject({ met: false })
    expect(funding.observed).toBeNumber()
  })

  test('its time is the venue’s: it is over when a virtual clock has passed its end', async () => {
    const before = (await quiet.call('get_time')).now
    const looked = await waitMinutes(
      { until: 'price_above', value: price * 9, timeoutSeconds: 50 },
      quiet,
    )
    expect(looked).toMatchObject({ met: false, ts: before + 60_000 })
  })

  test('for a candle ends when one has closed after the call', async () => {
    const { ts: calledMs } = await quiet.call('get_orderbook', { symbol: SYMBOL })
    const { met, observed } = await waitMinutes(
      { until: 'candle_close', timeoutSeconds: 600 },
      quiet,
      { ...OPEN_CALL, progress: async () => undefined },
    )
    expect([met, observed.timestamp % 60_000]).toEqual([true, 0])
    expect(observed.timestamp + 60_000).toBeGreaterThan(calledMs)
  })
})

describe('waiting for something of the account', () => {
  test('an order is done when it is filled or cancelled', async () => {
    const order = { symbol: SYMBOL, side: 'BUY', order_type: 'LIMIT', order_quantity: 0.01 }
    const placed = await world.call('place_order', {
      ...order,
      order_price: Math.round(price * 0.98),
    })
    const order_id = placed.order_id
    expect(await waitOnce({ until: 'order_done', order_id })).toMatchObject({ met: false })
    const waiting = wait({ until: 'order_done', order_id })
    await world.call('cancel_order', { symbol: SYMBOL, order_id: order_id })
    expect(await waiting).toMatchObject({ met: true, observed: { status: 'CANCELLED' } })
  })

  test('an order is waited for by the id of its sender, from before it is there', async () => {
    const client_order_id = 'not-yet-there'
    const seen = { until: 'order_seen', client_order_id }
    expect(await waitOnce(seen)).toMatchObject({ met: false, observed: null })
    const waiting = wait(seen)
    const order = { symbol: SYMBOL, side: 'BUY', order_type: 'LIMIT', order_quantity: 0.01 }
    const order_price = Math.round(price * 0.98)
    const placed = await world.call('place_order', { ...order, order_price, client_order_id })
    expect(await waiting).toMatchObject({ met: true, observed: { client_order_id } })
    expect(await waitOnce({ until: 'order_done', client_order_id })).toMatchObject({ met: false })
    await world.call('cancel_order', { symbol: SYMBOL, order_id: placed.order_id })
    const done = await wait({ until: 'order_done', client_order_id })
    expect(done).toMatchObject({ met: true, observed: { status: 'CANCELLED' } })
  })

  test('an order_id that the venue does not show is waited for, but never done', async () => {
    const order_id = 999_999_999
    expect(await waitOnce({ until: 'order_seen', order_id })).toMatchObject({
      met: false,
      observed: null,
    })
    const args = { symbol: SYMBOL, until: 'order_done', order_id }
    expect((await world.refused('wait_for', args)).code).toBe('not_found')
  })

  test('a position that is not there is closed', async () => {
    expect(await wait({ until: 'position_closed' })).toMatchObject({ met: true, observed: null })
  })

  test('needs credentials, and says so', async () => {
    const args = { symbol: SYMBOL, until: 'order_done', order_id: 1 }
    const { code } = await world.refused('wait_for', args, { credentials: null })
    expect(code).toBe('unauthorized')
  })
})

describe('the limits of waiting', () => {
  test.each([
    ['price_above', 'value'],
    ['order_done', 'order_id'],
  ])('%s without %s is refused, and nothing is waited for', async (until, parameter) => {
    const { code, meta } = await world.refused('wait_for', { symbol: SYMBOL, until })
    expect([code, meta.parameter]).toEqual(['invalid_request', parameter])
  })

  test('four at a time, and a fifth when one of them has ended', async () => {
    const timers = virtualTimers()
    const args = { until: 'price_above', value: price * 2, timeoutSeconds: 5 }
    const four = Array.from({ length: 4 }, () => wait(args, timers))
    const { code, meta } = await world.refused('wait_for', { symbol: SYMBOL, ...args })
    expect([code, meta.limit]).toEqual(['rate_limited', 'waits'])
    expect(meta.retryAfterSeconds).toBeWithin(1, 6)
    timers.pass(5000)
    await Promise.all(four)
    expect(await waitOnce({ ...args, timeoutSeconds: 1 })).toMatchObject({ met: false })
  })

  test('are those of one caller, not of all', () => {
    const waits = createToolWaits({ nowMs: Date.now })
    for (let count = 0; count < 4; count += 1) waits.of('one')(1000)
    expect(() => waits.of('one')(1000)).toThrow()
    expect(() => waits.of('another')(1000)).not.toThrow()
  })
})
