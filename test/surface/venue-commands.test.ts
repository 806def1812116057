import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { commandPath, VENUE_COMMANDS } from '../../src/contract/venue/commands.ts'
import { envelope, jsonPost } from '../caller.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { OPERATOR_KEY, runCommand } from './venue-fixture.ts'
import { newUser } from './wallets.ts'

const SYMBOL = 'PERP_ETH_USDC'
const SETTINGS = { OPERATOR_KEY, LIMIT_ADMIN: 'off', VENUE_CLOCK: 'virtual' }

/** Well-formed, and nobody's. */
const SOMEBODY = `0x${'1'.repeat(64)}`

describe.each([...USUAL_KINDS])('the words of the embedded venue, %s,', (kind) => {
  let target: Target
  beforeAll(async () => {
    target = await openTarget(kind, SETTINGS)
  })
  afterAll(() => target.stop())

  const command = (word: string, parameters?: object) => runCommand(target, word, parameters)
  const hash = async () => (await command('hash')).body['hash']

  async function holding(user: Awaited<ReturnType<typeof newUser>>): Promise<unknown> {
    const signed = envelope(user, { method: 'GET', path: '/v1/client/holding' })
    const response = await target.fetch('/api/prep/relay', jsonPost(signed))
    const body = Object(await response.json())
    return response.ok ? body.holding[0].holding : body.code
  }

  const REFUSED: readonly (readonly [word: string, parameters: object, named: string])[] = [
    ['price/shock', { symbol: SYMBOL }, 'share'],
    ['price/shock', { symbol: 'PERP_NOPE_USDC', share: 0.1 }, 'symbol'],
    ['price/shock', { symbol: SYMBOL, share: '-95%' }, 'share'],
    ['price/shock', { symbol: SYMBOL, share: 0.1, shape: 'round' }, 'shape'],
    ['price/trend', { symbol: SYMBOL, share: 0.1, for: '0s' }, 'for'],
    ['book/thin', { symbol: SYMBOL, share: 0, for: '1h' }, 'share'],
    ['book/one-sided', { symbol: SYMBOL, side: 'buy', for: '1h' }, 'side'],
    ['market', { symbol: SYMBOL, status: 'CLOSED' }, 'status'],
    ['crowd', { symbol: SYMBOL, side: 'BUY', usdc: '1.2345678', leverage: 5 }, 'usdc'],
    ['faults/add', { kind: 'gremlin' }, 'kind'],
    ['faults/add', { kind: 'delay', probability: 2 }, 'probability'],
    ['faucet', { account: '0x1', usdc: 5 }, 'account'],
    ['faucet', { account: SOMEBODY }, 'usdc'],
    ['faucet', { account: SOMEBODY, usdc: 5, token: 'ETH', amount: 1 }, 'usdc'],
    ['faucet', { account: SOMEBODY, token: 'ETH' }, 'amount'],
    ['faucet', { account: SOMEBODY, token: 'ETH', amount: '0.123456789' }, 'amount'],
    ['faucet', { account: SOMEBODY, token: 'DOGE', amount: 1 }, 'token'],
    ['faucet', { account: SOMEBODY, amount: 1 }, 'token'],
    ['clock/advance', { by: '90' }, 'by'],
    ['clock/run', { rate: -1 }, 'rate'],
    ['snapshot', { name: '../../etc' }, 'name'],
    ['hash', { verbose: true }, 'verbose'],
  ]
  test.each([...REFUSED])(
    '%s with %p names the parameter that is wrong, and nothing is done',
    async (word, parameters, named) => {
      const before = await hash()
      const { status, body } = await command(word, parameters)
      expect([status, body['code']]).toEqual([400, 'invalid_request'])
      expect(Object(body['meta']).parameter).toBe(named)
      expect(await hash()).toBe(before)
    },
  )

  test('are told by whoever bears the operator’s key, by POST alone', async () => {
    const before = await hash()
    expect((await runCommand(target, 'reset', {}, 'a guess')).status).toBe(401)
    expect((await target.fetch('/api/admin/venue/reset')).status).toBe(405)
    expect((await command('resets')).status).toBe(404)
    expect(await hash()).toBe(before)
  })

  test('every word has its route', async () => {
    for (const name of Object.keys(VENUE_COMMANDS).filter((known) => known in VENUE_COMMANDS)) {
      const path = commandPath(name as keyof typeof VENUE_COMMANDS)
      const response = await target.fetch(path, jsonPost({}))
      expect([name, response.status]).toEqual([name, 401])
    }
  })

  // Slow: a venue is kept, put back and begun anew.
  test('a snapshot is gone back to, clock, accounts and all; a reset begins at genesis', async () => {
    const initialState = (await command('reset')).body['nowMs']
    const user = await newUser(target)
    await command('clock/advance', { by: '10m' })
    expect((await command('snapshot', { name: 'before' })).body['names']).toEqual(['before'])
    const kept = (await command('hash')).body
    const rich = await holding(user)
    await command('faucet', { account: user.accountId, usdc: 5 })
    const ether = { account: user.accountId, token: 'ETH', amount: '0.25' }
    expect((await command('faucet', ether)).body['tokens']).toEqual({ ETH: '0.25' })
    await command('price/shock', { symbol: 'all', share: '-20%' })
    await command('clock/advance', { by: '20m' })
    expect(await hash()).not.toBe(kept['hash'])
    expect(await holding(user)).not.toBe(rich)
    expect((await command('restore', { name: 'before' })).body['nowMs']).toBe(kept['nowMs'])
    expect((await command('hash')).body).toEqual(kept)
    expect(await holding(user)).toBe(rich)
    expect((await command('restore', { name: 'never' })).status).toBe(404)
    expect((await command('reset')).body['nowMs']).toBe(initialState)
    expect(await holding(user)).toBe('unauthorized')
    expect((await command('check')).body['broken']).toEqual([])
    expect((await command('restore', { name: 'before' })).status).toBe(200)
    expect((await command('hash')).body).toEqual(kept)
  })

  // Slow: an order is delayed by a venue on the clock of the machine.
  test('a write that was under way when the venue is put back is not in the venue that was kept', async () => {
    // On a virtual clock a delayed call moves the clock, and is never under way.
    const real = await openTarget(kind, { ...SETTINGS, VENUE_CLOCK: 'real' })
    const word = (name: string, parameters?: object) => runCommand(real, name, parameters)
    const user = await newUser(real)
    await word('snapshot', { name: 'quiet' })
    const terms = { side: 'BUY', order_type: 'LIMIT', order_price: 2000, order_quantity: 0.01 }
    const body = JSON.stringify({ symbol: SYMBOL, ...terms })
    const signed = envelope(user, { method: 'POST', path: '/v1/order', body })
    await word('faults/add', { kind: 'delay', ms: 900, path: '/v1/order', count: 2 })
    const under = real.fetch('/api/prep/relay', jsonPost(signed))
    // The venue has it, and keeps it, once one of the two delays is used.
    while (!JSON.stringify((await word('faults/list')).body).includes('"left":1')) {
      await Bun.sleep(5)
    }
    expect((await word('restore', { name: 'quiet' })).status).toBe(200)
    expect(Object(await (await under).json()).code).toBe('outcome_unknown')
    const orders = envelope(user, { method: 'GET', path: '/v1/orders' })
    const listed = await real.fetch('/api/prep/relay', jsonPost(orders))
    expect(Object(await listed.json()).rows).toEqual([])
    expect((await word('faults/list')).body['rows']).toEqual([])
    await real.stop()
  })

  test('an account that is liquidated holds nothing more, and is told so', async () => {
    const user = await newUser(target)
    const body = JSON.stringify({
      symbol: SYMBOL,
      side: 'BUY',
      order_type: 'MARKET',
      order_quantity: 1,
    })
    const signed = envelope(user, { method: 'POST', path: '/v1/order', body })
    expect((await target.fetch('/api/prep/relay', jsonPost(signed))).status).toBe(200)
    const { body: answer } = await command('liquidate', { account: user.accountId })
    expect(answer['liquidations']).toHaveLength(1)
    const read = envelope(user, { method: 'GET', path: '/v1/liquidations' })
    const response = await target.fetch('/api/prep/relay', jsonPost(read))
    expect(Object(await response.json()).rows).toHaveLength(1)
    expect((await command('liquidate', { account: user.accountId })).body['liquidations']).toEqual(
      [],
    )
    expect((await command('check')).body['broken']).toEqual([])
  })
})

test('a live venue is told nothing', async () => {
  const target = await openTarget('in process', { ...SETTINGS, VENUE: 'http://127.0.0.1:9' })
  expect((await runCommand(target, 'hash')).status).toBe(404)
  await target.stop()
})

test('a clock of real time is not moved', async () => {
  const target = await openTarget('in process', { ...SETTINGS, VENUE_CLOCK: 'real' })
  for (const [word, parameters, named] of [
    ['clock/advance', { by: '1h' }, 'by'],
    ['clock/run', { rate: 10 }, 'rate'],
  ] as const) {
    const { status, body } = await runCommand(target, word, parameters)
    expect([status, Object(body['meta']).parameter]).toEqual([400, named])
  }
  await target.stop()
})
