import { describe, expect, test } from 'bun:test'
import { signText } from '../../src/crypto/signing.ts'
import { newCaller, type TestCaller } from '../caller.ts'
import { openRig, type Rig, settled } from './rig.ts'

function proof(rig: Rig, { accountId, key, secret }: TestCaller, ageMs = 0) {
  const timestamp = String(rig.nowMs() - ageMs)
  return { op: 'auth', accountId, key, timestamp, signature: signText(timestamp, secret) }
}

async function proved(rig: Rig, caller: TestCaller, topics: readonly string[]) {
  const client = rig.connect()
  rig.receive(client.connection, JSON.stringify(proof(rig, caller)))
  rig.receive(client.connection, JSON.stringify({ op: 'subscribe', topics }))
  await settled()
  await rig.pass(200)
  return client
}

describe('a proof', () => {
  test('opens the account’s topics, which begin with the reads to make', async () => {
    const rig = openRig()
    const { outlet } = await proved(rig, newCaller(), ['orders', 'fills'])
    expect(outlet.messages.map(({ type, topic, data }) => [type, topic, data])).toEqual([
      ['hello', undefined, undefined],
      ['ack', undefined, undefined],
      ['resync', 'orders', { reads: ['GET /v1/orders'] }],
      ['resync', 'fills', { reads: ['GET /v1/trades'] }],
    ])
    rig.feed.accounts[0]?.message({
      topic: 'executionreport',
      atMs: 1,
      data: { symbol: 'PERP_ETH_USDC', orderId: 7, tradeId: 9, status: 'FILLED', maker: true },
    })
    const [order, fill] = outlet.messages.slice(-2)
    expect(order?.data).toEqual({
      rows: [{ symbol: 'PERP_ETH_USDC', order_id: 7, status: 'FILLED' }],
    })
    expect(Object(fill?.data).rows[0]).toMatchObject({ id: 9, order_id: 7, is_maker: 1 })
    rig.close()
  })

  test('is shared by those who give the same one, and by nobody else', async () => {
    const rig = openRig()
    const caller = newCaller()
    await proved(rig, caller, ['orders'])
    await proved(rig, caller, ['orders'])
    const other = await proved(rig, newCaller(caller.accountId), ['orders'])
    expect(rig.feed.accounts).toHaveLength(2)
    const report = { symbol: 'PERP_ETH_USDC', orderId: 7 }
    rig.feed.accounts[0]?.message({ topic: 'executionreport', atMs: 1, data: report })
    expect(other.outlet.messages.at(-1)?.type).toBe('resync')
    rig.close()
  })

  test.each([
    [
      'another’s signature',
      'invalid_signature',
      (rig: Rig, caller: TestCaller) => ({
        ...proof(rig, caller),
        signature: proof(rig, newCaller()).signature,
      }),
    ],
    [
      'an old timestamp',
      'expired_signature',
      (rig: Rig, caller: TestCaller) => proof(rig, caller, 300_001),
    ],
    [
      'a timestamp far ahead',
      'invalid_request',
      (rig: Rig, caller: TestCaller) => proof(rig, caller, -300_001),
    ],
    [
      'no account',
      'invalid_request',
      (rig: Rig, caller: TestCaller) => ({ ...proof(rig, caller), accountId: '0x' }),
    ],
    [
      'no key',
      'invalid_request',
      (rig: Rig, caller: TestCaller) => ({ ...proof(rig, caller), key: 'ed25519:zz' }),
    ],
  ])('with %s is %s, and the venue is not asked', async (_, code, make) => {
    const rig = openRig()
    const { outlet, connection } = rig.connect()
    rig.receive(connection, JSON.stringify(make(rig, newCaller())))
    await settled()
    expect(outlet.messages.at(-1)).toMatchObject({ type: 'error', code })
    expect(rig.feed.accounts).toEqual([])
    rig.close()
  })

  test('of a second account on one connection is refused', async () => {
    const rig = openRig()
    const { outlet, connection } = await proved(rig, newCaller(), [])
    rig.receive(connection, JSON.stringify(proof(rig, newCaller())))
    await settled()
    expect(outlet.messages.at(-1)).toMatchObject({ type: 'error', code: 'forbidden' })
    expect(rig.feed.accounts).toHaveLength(1)
    rig.close()
  })

  test('that the venue refuses, or refuses later, ends the topics', async () => {
    const rig = openRig()
    const caller = newCaller()
    const { outlet, connection } = await proved(rig, caller, ['orders'])
    expect(rig.proofs.size).toBe(1)
    rig.feed.accounts[0]?.refused()
    expect(outlet.messages.at(-1)).toMatchObject({
      type: 'error',
      code: 'unauthorized',
      meta: { topics: ['orders'] },
    })
    expect(rig.proofs.size).toBe(0)
    rig.receive(connection, JSON.stringify({ op: 'subscribe', topics: ['orders'] }))
    expect(outlet.messages.at(-1)).toMatchObject({ code: 'unauthorized', topic: 'orders' })
    rig.close()
  })

  test('that has grown too old is asked for anew, and then the state is to be read again', async () => {
    const rig = openRig()
    const caller = newCaller()
    const { outlet, connection } = await proved(rig, caller, ['orders'])
    rig.feed.accounts[0]?.lost()
    rig.feed.accounts[0]?.expired()
    expect(outlet.messages.at(-1)).toMatchObject({ type: 'auth_required' })
    rig.receive(connection, JSON.stringify(proof(rig, caller)))
    await settled()
    await rig.pass(200)
    expect(rig.feed.accounts).toHaveLength(2)
    expect(outlet.messages.at(-1)).toMatchObject({ type: 'resync', topic: 'orders', seq: 1 })
    rig.close()
  })

  test('that follows another is judged before what follows both', async () => {
    const rig = openRig()
    const caller = newCaller()
    const { outlet, connection } = rig.connect()
    const wrong = { ...proof(rig, caller), key: newCaller().key }
    for (const said of [wrong, proof(rig, caller), { op: 'subscribe', topics: ['orders'] }]) {
      rig.receive(connection, JSON.stringify(said))
    }
    await settled()
    await rig.pass(200)
    const told = outlet.messages.map(({ type, code }) => code ?? type)
    expect(told).toEqual(['hello', 'invalid_signature', 'ack', 'resync'])
    rig.close()
  })

  test('goes with the last who gave it: who comes later proves it to the venue again', async () => {
    const rig = openRig()
    const caller = newCaller()
    const { connection } = await proved(rig, caller, ['orders'])
    rig.hub.disconnect(connection)
    const { outlet } = await proved(rig, caller, ['orders'])
    expect(rig.feed.accounts).toHaveLength(2)
    expect(outlet.messages.at(-1)).toMatchObject({ type: 'resync', seq: 1 })
    rig.close()
  })
})

describe('what a client says', () => {
  test('more than ten times a second is a violation', () => {
    const rig = openRig()
    const { outlet, connection } = rig.connect()
    for (let count = 0; count < 13; count += 1) rig.receive(connection, '{"op":"ping"}')
    expect(outlet.messages.filter(({ type }) => type === 'pong')).toHaveLength(10)
    expect(outlet.messages.filter(({ code }) => code === 'rate_limited')).toHaveLength(3)
    expect(outlet.ended?.code).toBe(1008)
    rig.close()
  })
})
