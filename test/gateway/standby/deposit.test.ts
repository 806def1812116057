import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Store } from '../../../src/core/ports.ts'
import { relay } from '../../../src/gateway/relay/relay.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { newCaller } from '../../caller.ts'
import { cancelAt, FROM, openInstance, TAKEN } from './instance.ts'

const NOW_MS = 1_800_000_000_000
const caller = newCaller()
let store: Store
let instance: Awaited<ReturnType<typeof openInstance>>

beforeEach(async () => {
  store = openSqlite(':memory:', 0)
  instance = await openInstance({ store, nowMs: () => NOW_MS, send: async () => TAKEN })
  await instance.prove(caller)
})
afterEach(() => store.close())

type Envelope = ReturnType<typeof cancelAt>

const signed = (second: number, by = caller) => cancelAt(by, NOW_MS + second * 1000)
const onPath = (path: string) => cancelAt(caller, NOW_MS, path)
const first = signed(0)
const withAuth = (auth: object): Envelope => ({ ...first, auth: { ...first.auth, ...auth } })

type Refused = readonly [what: string, envelopes: readonly Envelope[], failure: object]

describe('a deposit is refused', () => {
  test.each<Refused>([
    ['of another method', [{ ...first, method: 'POST' }], { parameter: 'envelopes.0.method' }],
    ['of another path', [onPath('/v1/algo/orders')], { parameter: 'envelopes.0.path' }],
    ['of another query', [onPath('/v1/orders?order_tag=1')], { parameter: 'envelopes.0.path' }],
    ['of a body', [{ ...first, body: '{}' }], { parameter: 'envelopes.0.body' }],
    [
      'of a second key',
      [first, signed(1, newCaller(caller.accountId))],
      { parameter: 'envelopes.1.auth.key' },
    ],
    [
      'of a second account',
      [signed(-1), withAuth({ accountId: newCaller().accountId })],
      { parameter: 'envelopes.1.auth.accountId' },
    ],
    [
      'with a time between in which none can be sent',
      [first, signed(261)],
      { parameter: 'envelopes.1.auth.timestamp' },
    ],
    ['in no order', [signed(9), signed(5)], { parameter: 'envelopes.1.auth.timestamp' }],
    ['of one signed too far ahead', [signed(301)], { parameter: 'envelopes.0.auth.timestamp' }],
    ['of one too old to be sent', [signed(-260)], { code: 'expired_signature' }],
    [
      'of a signature of something else',
      [withAuth({ timestamp: String(NOW_MS + 1) })],
      { code: 'invalid_signature' },
    ],
  ])('%s', async (_, envelopes, failure) => {
    expect(await instance.arm(envelopes, 30_000)).toMatchObject(failure)
    expect(await instance.act(caller, 'GET')).toEqual({ state: 'none' })
  })

  test('that would be sent after the end of its signatures, and not one that is sent at it', async () => {
    const refused = { code: 'invalid_request', parameter: 'afterMs', max: 260_000 }
    expect(await instance.arm([first], 260_001)).toMatchObject(refused)
    expect(await instance.arm([first], 260_000)).toMatchObject({ state: 'armed' })
  })

  test('of a key that the venue has not accepted: anyone can sign and name a victim', async () => {
    const stranger = newCaller(caller.accountId)
    const unauthorized = { code: 'unauthorized', reason: 'key_unknown' }
    expect(await instance.arm([signed(0, stranger)], 30_000)).toMatchObject(unauthorized)
    expect(await instance.act(stranger, 'GET')).toMatchObject(unauthorized)
    expect(await instance.act(stranger, 'DELETE')).toMatchObject(unauthorized)
  })

  test('of a cancel that was sent already', async () => {
    await relay(instance.gateway, first, FROM)
    const refused = { code: 'duplicate_request', parameter: 'envelopes.0' }
    expect(await instance.arm([first], 30_000)).toEqual(refused)
  })
})
