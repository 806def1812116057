import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createMeter } from '../../../src/core/observing/meter.ts'
import type { UpstreamRequest } from '../../../src/core/ports.ts'
import { loadControls } from '../../../src/gateway/controls/controls.ts'
import { createGateway, type Gateway } from '../../../src/gateway/gateway.ts'
import { relay } from '../../../src/gateway/relay/relay.ts'
import { openVenue } from '../../../src/main/venue.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { envelope, newCaller } from '../../caller.ts'
import { type RecordingUpstream, startRecordingUpstream } from '../../recording-upstream.ts'
import { running, settingsFolder } from '../../settings-folder.ts'

const NOW_MS = 1_800_000_000_000
const ORDER = { method: 'POST', path: '/v1/order', body: '{}' } as const
const GET = { method: 'GET', path: '/v1/positions' } as const
const FROM = { address: '203.0.113.9', limitKey: '203.0.113.9' }
const caller = newCaller()

let nowMs: number
let venue: RecordingUpstream
let deps: Gateway
let asked: UpstreamRequest[]

beforeEach(async () => {
  nowMs = NOW_MS
  asked = []
  venue = await startRecordingUpstream()
  using folder = settingsFolder()
  const { settings } = running(folder.invoke([], { PREPD_VENUE: venue.url }))
  const quiet = () => undefined
  const world = {
    clock: { nowMs: () => nowMs },
    monotonicMs: () => nowMs,
    random: { bytes: (length: number) => new Uint8Array(length) },
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
  }
  const store = openSqlite(':memory:', 0)
  const { upstream, clock: venueClock } = await openVenue(settings, world, ':memory:')
  deps = createGateway({
    ...world,
    meter: createMeter(() => 0),
    venueClock,
    settings,
    store,
    advanceClock: null,
    faucet: null,
    shared: null,
    noteUnknown: () => undefined,
    isStepped: false,
    promote: null,
    controls: await loadControls(store.controls),
    upstream: {
      send: (request) => {
        asked.push(request)
        return upstream.send(request)
      },
    },
  })
})
afterEach(async () => {
  deps.store.close()
  await venue.stop()
})

const send = (call: typeof ORDER | typeof GET, timestampMs = NOW_MS) =>
  relay(deps, envelope(caller, { ...call, timestamp: String(timestampMs) }), FROM).then(
    ({ headers }) => headers['x-prepd-replay'] ?? 'sent',
    ({ code, meta }) => (code === 'expired_signature' ? code : (meta?.parameter ?? code)),
  )

/** What housekeeping does each second, at this time. */
async function sweepAt(ms: number): Promise<void> {
  nowMs = ms
  deps.writes.sweep(nowMs)
  await deps.store.sweep(nowMs, 5000)
}

describe('a signature is fresh for five minutes, both ways', () => {
  test.each([
    ['300,000 ms old', -300_000, 'sent'],
    ['300,001 ms old', -300_001, 'expired_signature'],
    ['300,000 ms ahead', 300_000, 'sent'],
    ['300,001 ms ahead', 300_001, 'auth.timestamp'],
  ])('%s', async (_, shiftMs, outcome) => {
    for (const call of [ORDER, GET]) expect(await send(call, NOW_MS + shiftMs)).toBe(outcome)
    expect(venue.requests).toHaveLength(outcome === 'sent' ? 2 : 0)
  })
})

describe('a write that was sent', () => {
  test('is not sent again when the clock steps back by up to a minute after it was swept', async () => {
    expect(await send(ORDER)).toBe('sent')
    await sweepAt(NOW_MS + 359_999)
    nowMs = NOW_MS + 300_000
    expect(await send(ORDER)).toBe('true')
    expect(venue.requests).toHaveLength(1)
  })

  test('is forgotten with its claim a minute after its signature', async () => {
    expect(await send(ORDER)).toBe('sent')
    await sweepAt(NOW_MS + 360_001)
    nowMs = NOW_MS + 300_000
    expect(await send(ORDER)).toBe('sent')
    expect(venue.requests).toHaveLength(2)
  })
})

test('a venue that cannot be reached is unavailable, and a write that never left may be sent again', async () => {
  const { url } = venue
  await venue.stop()
  expect(await send(GET)).toBe('upstream_unavailable')
  expect(await send(ORDER)).toBe('upstream_unavailable')
  venue = await startRecordingUpstream(undefined, Number(new URL(url).port))
  expect(await send(ORDER)).toBe('sent')
  expect(venue.requests).toHaveLength(1)
})

test('a venue that breaks off leaves a read without an answer, and a write without an outcome', async () => {
  await venue.stop()
  venue = await startRecordingUpstream(() => 'close', Number(new URL(venue.url).port))
  expect(await send(GET)).toBe('upstream_unavailable')
  expect(await send(ORDER)).toBe('outcome_unknown')
  expect(await send(ORDER)).toBe('outcome_unknown')
  expect(venue.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

test('a read is given ten seconds, a write fifteen, each in its lane', async () => {
  await send(GET)
  await send(ORDER)
  expect(asked.map(({ lane, deadlineMs }) => ({ lane, deadlineMs }))).toEqual([
    { lane: 'read', deadlineMs: 10_000 },
    { lane: 'write', deadlineMs: 15_000 },
  ])
})
