import { describe, expect, test } from 'bun:test'
import { signText } from '../../src/core/crypto/signing.ts'
import { newCaller, type TestCaller } from '../caller.ts'
import { type HubFixture, openHubFixture, settled } from './fixture.ts'

function proof(fixture: HubFixture, { accountId, key, secret }: TestCaller, ageMs = 0) {
  const timestamp = String(fixture.nowMs() - ageMs)
  return { op: 'auth', accountId, key, timestamp, signature: signText(timestamp, secret) }
}

async function proved(fixture: HubFixture, caller: TestCaller, topics: readonly string[]) {
  const client = fixture.connect()
  fixture.receive(client.connection, JSON.stringify(proof(fixture, caller)))
  fixture.receive(client.connection, JSON.stringify({ op: 'subscribe', topics }))
  await settled()
  await fixture.pass(200)
  return client
}

describe('a proof', () => {
  test('opens the account’s topics, which begin with the reads to make', async () => {
    const fixture = openHubFixture()
    const caller = newCaller()
    const { sink } = await proved(fixture, caller, ['orders', 'fills'])
    expect(fixture.received).toEqual([])
    expect(sink.messages.map(({ type, topic, data }) => [type, topic, data])).toEqual([
      ['hello', undefined, undefined],
      ['ack', undefined, undefined],
      ['resync', 'orders', { reads: ['GET /v1/orders'] }],
      ['resync', 'fills', { reads: ['GET /v1/trades'] }],
    ])
    const message = {
      topic: 'executionreport',
      atMs: 1,
      data: { symbol: 'PERP_ETH_USDC', orderId: 7, tradeId: 9, status: 'FILLED', maker: true },
    }
    fixture.feed.accounts[0]?.message(message)
    expect(fixture.received).toEqual([[caller.accountId, message]])
    const [order, fill] = sink.messages.slice(-2)
    expect(order?.data).toEqual({
      rows: [{ symbol: 'PERP_ETH_USDC', order_id: 7, status: 'FILLED' }],
    })
    expect(Object(fill?.data).rows[0]).toMatchObject({ id: 9, order_id: 7, is_maker: 1 })
    fixture.close()
  })

  test('is shared by those who give the same one, and by nobody else', async () => {
    const fixture = openHubFixture()
    const caller = newCaller()
    await proved(fixture, caller, ['orders'])
    await proved(fixture, caller, ['orders'])
    const other = await proved(fixture, newCaller(caller.accountId), ['orders'])
    expect(fixture.feed.accounts).toHaveLength(2)
    const report = { symbol: 'PERP_ETH_USDC', orderId: 7 }
    fixture.feed.accounts[0]?.message({ topic: 'executionreport', atMs: 1, data: report })
    expect(other.sink.messages.at(-1)?.type).toBe('resync')
    fixture.close()
  })

  test.each([
    [
      'another’s signature',
      'invalid_signature',
      (fixture: HubFixture, caller: TestCaller) => ({
        ...proof(fixture, caller),
        signature: proof(fixture, newCaller()).signature,
      }),
    ],
    [
      'an old timestamp',
      'expired_signature',
      (fixture: HubFixture, caller: TestCaller) => proof(fixture, caller, 300_001),
    ],
    [
      'a timestamp far ahead',
      'invalid_request',
      (fixture: HubFixture, caller: TestCaller) => proof(fixture, caller, -300_001),
    ],
    [
      'no account',
      'invalid_request',
      (fixture: HubFixture, caller: TestCaller) => ({ ...proof(fixture, caller), accountId: '0x' }),
    ],
    [
      'no key',
      'invalid_request',
      (fixture: HubFixture, caller: TestCaller) => ({
        ...proof(fixture, caller),
        key: 'ed25519:zz',
      }),
    ],
  ])('with %s is %s, and the venue is not asked', async (_, code, make) => {
    const fixture = openHubFixture()
    const { sink, connection } = fixture.connect()
    fixture.receive(connection, JSON.stringify(make(fixture, newCaller())))
    await settled()
    expect(sink.messages.at(-1)).toMatchObject({ type: 'error', code })
    expect(fixture.feed.accounts).toEqual([])
    fixture.close()
  })

  test('of a second account on one connection is refused', async () => {
    const fixture = openHubFixture()
    const { sink, connection } = await proved(fixture, newCaller(), [])
    fixture.receive(connection, JSON.stringify(proof(fixture, newCaller())))
    await settled()
    expect(sink.messages.at(-1)).toMatchObject({ type: 'error', code: 'forbidden' })
    expect(fixture.feed.accounts).toHaveLength(1)
    fixture.close()
  })

  test('that the venue refuses, or refuses later, ends the topics', async () => {
    const fixture = openHubFixture()
    const caller = newCaller()
    const { sink, connection } = await proved(fixture, caller, ['orders'])
    expect(fixture.proofs.size).toBe(1)
    fixture.feed.accounts[0]?.refused()
    expect(sink.messages.at(-1)).toMatchObject({
      type: 'error',
      code: 'unauthorized',
      meta: { topics: ['orders'] },
    })
    expect(fixture.proofs.size).toBe(0)
    fixture.receive(connection, JSON.stringify({ op: 'subscribe', topics: ['orders'] }))
    expect(sink.messages.at(-1)).toMatchObject({ code: 'unauthorized', topic: 'orders' })
    fixture.close()
  })

  test('that has grown too old is asked for anew, and then the state is to be read again', async () => {
    const fixture = openHubFixture()
    const caller = newCaller()
    const { sink, connection } = await proved(fixture, caller, ['orders'])
    fixture.feed.accounts[0]?.lost()
    fixture.feed.accounts[0]?.expired()
    expect(sink.messages.at(-1)).toMatchObject({ type: 'auth_required' })
    fixture.receive(connection, JSON.stringify(proof(fixture, caller)))
    await settled()
    await fixture.pass(200)
    expect(fixture.feed.accounts).toHaveLength(2)
    expect(sink.messages.at(-1)).toMatchObject({ type: 'resync', topic: 'orders', seq: 1 })
    fixture.close()
  })

  test('that follows another is judged before what follows both', async () => {
    const fixture = openHubFixture()
    const caller = newCaller()
    const { sink, connection } = fixture.connect()
    const wrong = { ...proof(fixture, caller), key: newCaller().key }
    for (const message of [
      wrong,
      proof(fixture, caller),
      { op: 'subscribe', topics: ['orders'] },
    ]) {
      fixture.receive(connection, JSON.stringify(message))
    }
    await settled()
    await fixture.pass(200)
    const messages = sink.messages.map(({ type, code }) => code ?? type)
    expect(messages).toEqual(['hello', 'invalid_signature', 'ack', 'resync'])
    fixture.close()
  })

  test('goes with the last who gave it: who comes later proves it to the venue again', async () => {
    const fixture = openHubFixture()
    const caller = newCaller()
    const { connection } = await proved(fixture, caller, ['orders'])
    fixture.hub.disconnect(connection)
    const { sink } = await proved(fixture, caller, ['orders'])
    expect(fixture.feed.accounts).toHaveLength(2)
    expect(sink.messages.at(-1)).toMatchObject({ type: 'resync', seq: 1 })
    fixture.close()
  })
})

describe('what a client says', () => {
  test('more than ten times a second is a violation', () => {
    const fixture = openHubFixture()
    const { sink, connection } = fixture.connect()
    for (let count = 0; count < 13; count += 1) fixture.receive(connection, '{"op":"ping"}')
    expect(sink.messages.filter(({ type }) => type === 'pong')).toHaveLength(10)
    expect(sink.messages.filter(({ code }) => code === 'rate_limited')).toHaveLength(3)
    expect(sink.ended?.code).toBe(1008)
    fixture.close()
  })
})
