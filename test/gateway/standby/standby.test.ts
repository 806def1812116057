import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Store, UpstreamError, type UpstreamRequest } from '../../../src/core/ports.ts'
import { relay } from '../../../src/gateway/relay/relay.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { newCaller } from '../../caller.ts'
import { cancelAt, FROM, openInstance, TAKEN, type VenueState } from './instance.ts'

const START_MS = 1_800_000_000_000

let nowMs: number
let venue: VenueState
let sent: UpstreamRequest[]
let store: Store
let seen: { accountId: string; publicKey: string; atMs: number }[]
let instance: Awaited<ReturnType<typeof openInstance>>
const caller = newCaller()
const PAIR = { accountId: caller.accountId.toLowerCase(), publicKey: caller.key }

async function send(request: UpstreamRequest) {
  if (venue === 'away') throw new UpstreamError('unreachable', false)
  sent.push(request)
  if (venue === 'silent') throw new UpstreamError('reset', true)
  if (venue === 'up') return TAKEN
  return {
    status: venue.status,
    body: JSON.stringify({ success: false, code: venue.code, message: 'x' }),
  }
}

const open = () =>
  openInstance({
    store,
    nowMs: () => nowMs,
    send,
    lastSeen: (sinceMs) => seen.filter(({ atMs }) => atMs > sinceMs),
  })

beforeEach(async () => {
  nowMs = START_MS
  venue = 'up'
  sent = []
  seen = []
  store = openSqlite(':memory:', 0)
  instance = await open()
  await instance.prove(caller)
})
afterEach(() => store.close())

const cancelOf = (second: number) => cancelAt(caller, START_MS + second * 1000)
const at = (...seconds: number[]) => seconds.map(cancelOf)
/** Moves the clock on, and lets the instance send what is due. */
async function pass(ms: number, by = instance) {
  nowMs += ms
  await by.send()
}
const show = () => instance.act(caller, 'GET')

describe('a standby cancel', () => {
  test('is sent when its caller is silent for as long as it said, and not a moment before', async () => {
    const armed = await instance.arm(at(0), 30_000)
    expect(armed).toEqual({
      state: 'armed',
      sendsAtMs: START_MS + 30_000,
      endsAtMs: START_MS + 260_000,
    })
    await pass(29_999)
    expect(sent).toEqual([])
    await pass(1)
    expect(sent).toMatchObject([{ method: 'DELETE', path: '/v1/orders' }])
    expect(sent[0]).not.toHaveProperty('body')
    expect(await show()).toEqual({ state: 'cancelled', endedAtMs: START_MS + 30_000 })
    await pass(200_000)
    expect(sent).toHaveLength(1)
  })

  test('goes out with the very bytes that were signed, of one symbol as of all', async () => {
    const signed = cancelAt(caller, START_MS, '/v1/orders?symbol=PERP_ETH_USDC')
    await instance.arm([signed], 10_000)
    await pass(10_000)
    expect(sent).toMatchObject([
      {
        path: '/v1/orders?symbol=PERP_ETH_USDC',
        headers: {
          'orderly-signature': signed.auth.signature,
          'orderly-timestamp': String(START_MS),
        },
      },
    ])
  })

  test('is put off by a renewal, which takes the place of the one before', async () => {
    await instance.arm(at(0), 30_000)
    nowMs += 29_000
    expect(await instance.arm(at(29), 30_000)).toMatchObject({ sendsAtMs: START_MS + 59_000 })
    await pass(29_999)
    expect(sent).toEqual([])
    await pass(1)
    expect(sent).toMatchObject([{ headers: { 'orderly-timestamp': String(START_MS + 29_000) } }])
  })

  test('is not put off by a repeat of itself, nor replaced by an earlier one', async () => {
    const [earlier, later] = [cancelOf(0), cancelOf(5)]
    await instance.arm([later], 30_000)
    nowMs += 10_000
    expect(await instance.arm([later], 30_000)).toMatchObject({ sendsAtMs: START_MS + 30_000 })
    expect(await instance.arm([earlier], 30_000)).toEqual({
      code: 'duplicate_request',
      parameter: 'envelopes',
    })
    expect(await show()).toMatchObject({ state: 'armed', sendsAtMs: START_MS + 30_000 })
  })

  test('is put off by what its live connection says, but never beyond the life of its signatures', async () => {
    await instance.arm(at(0, 100), 60_000)
    nowMs += 50_000
    seen = [{ ...PAIR, atMs: nowMs }]
    await instance.postpone()
    await pass(59_999)
    expect(sent).toEqual([])
    for (const second of [150, 200, 250, 300, 350]) {
      seen = [{ ...PAIR, atMs: START_MS + second * 1000 }]
      nowMs = START_MS + second * 1000
      await instance.postpone()
      await instance.send()
    }
    expect(sent).toEqual([])
    expect(await show()).toMatchObject({ state: 'armed', sendsAtMs: START_MS + 360_000 })
    await pass(10_000)
    expect(sent).toMatchObject([{ headers: { 'orderly-timestamp': String(START_MS + 100_000) } }])
  })

  test('is put off by nobody else’s connection', async () => {
    await instance.arm(at(0), 30_000)
    seen = [
      {
        accountId: caller.accountId.toLowerCase(),
        publicKey: newCaller().key,
        atMs: nowMs + 29_000,
      },
    ]
    await instance.postpone()
    await pass(30_000)
    expect(sent).toHaveLength(1)
  })

  test('is withdrawn by its key, and only once with one signature', async () => {
    await instance.arm(at(0), 30_000)
    expect(await instance.act(caller, 'DELETE')).toEqual({
      state: 'withdrawn',
      endedAtMs: START_MS,
    })
    await pass(30_000)
    expect(sent).toEqual([])
    await instance.arm(at(31), 30_000)
    expect(await instance.act(caller, 'DELETE', START_MS)).toMatchObject({
      code: 'duplicate_request',
    })
    expect(await show()).toMatchObject({ state: 'armed' })
  })
})

describe('where the venue does not take it', () => {
  test('one that cannot have been sent is sent again until it is taken, and once', async () => {
    venue = 'away'
    await instance.arm(at(0, 200), 30_000)
    await pass(30_000)
    for (let second = 0; second < 60; second += 1) await pass(1000)
    expect(sent).toEqual([])
    venue = 'up'
    await pass(2000)
    expect(sent).toMatchObject([{ headers: { 'orderly-timestamp': String(START_MS) } }])
    expect(await show()).toMatchObject({ state: 'cancelled' })
  })

  test('after one whose outcome is unknown the next is sent, and none twice', async () => {
    venue = 'silent'
    await instance.arm(at(0, 100, 200), 30_000)
    await pass(30_000)
    venue = 'up'
    await pass(1000)
    expect(sent).toHaveLength(1)
    await pass(1000)
    const stamps = sent.map(({ headers }) => headers['orderly-timestamp'])
    expect(stamps).toEqual([String(START_MS), String(START_MS + 100_000)])
    expect(await show()).toMatchObject({ state: 'cancelled' })
  })

  test('a cancel signed for later waits until the venue takes its time', async () => {
    venue = 'silent'
    await instance.arm(at(0, 260, 520), 30_000)
    await pass(30_000)
    await pass(2000)
    expect(sent).toHaveLength(2)
    venue = 'up'
    nowMs = START_MS + 249_000
    await instance.send()
    expect(sent).toHaveLength(2)
    await pass(1000)
    expect(sent).toHaveLength(3)
    expect(await show()).toMatchObject({ state: 'cancelled' })
  })

  test('it has lapsed, and the log says so, when the venue is away for as long as they could be sent', async () => {
    venue = 'away'
    await instance.arm(at(0), 30_000)
    await pass(269_999)
    expect(await show()).toMatchObject({ state: 'armed' })
    venue = 'up'
    await pass(2000)
    expect(sent).toEqual([])
    const endedAtMs = START_MS + 271_999
    expect(await show()).toEqual({ state: 'lapsed', endedAtMs, failure: 'upstream_unavailable' })
    expect(instance.lines).toContainEqual({
      level: 'error',
      event: 'standby_ended',
      state: 'lapsed',
      failure: 'upstream_unavailable',
    })
    expect(JSON.stringify(instance.lines)).not.toContain(caller.accountId)
  })

  test('it has lapsed where the venue refuses the key, and the others are kept back', async () => {
    venue = { status: 401, code: -1002 }
    await instance.arm(at(0, 100), 30_000)
    await pass(30_000)
    await pass(60_000)
    expect(sent).toHaveLength(1)
    expect(instance.lines).toContainEqual(
      expect.objectContaining({ state: 'lapsed', failure: 'unauthorized' }),
    )
    expect(await store.standbys.find(PAIR)).toMatchObject({ state: 'lapsed', cancels: [] })
  })

  test('one that its caller has sent meanwhile counts for nothing: orders may have been placed since', async () => {
    const [first, second] = [cancelOf(0), cancelOf(100)]
    await instance.arm([first, second], 30_000)
    await relay(instance.gateway, first, FROM)
    await pass(30_000)
    await pass(2000)
    expect(sent.map(({ headers }) => headers['orderly-timestamp'])).toEqual([
      String(START_MS),
      String(START_MS + 100_000),
    ])
  })
})
