import { afterEach, beforeEach, expect, test, vi } from 'bun:test'
import { Failure } from '../../../src/core/failure.ts'
import { createMeter } from '../../../src/core/observing/meter.ts'
import type { UpstreamResponse } from '../../../src/core/ports.ts'
import { loadControls } from '../../../src/gateway/controls/controls.ts'
import { createGateway } from '../../../src/gateway/gateway.ts'
import { markets } from '../../../src/gateway/market/markets.ts'
import { processInputs, readInvocation } from '../../../src/settings.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { pass, settled } from '../../fake-time.ts'

const silent = () => undefined
const LOG = { error: silent, warn: silent, info: silent, debug: silent }
const EMPTY = { status: 200, contentType: 'application/json' }

/** A gateway before a venue that answers on demand. */
async function heldGateway() {
  const invocation = readInvocation([], {}, processInputs().files)
  if (invocation.kind !== 'run') throw new Error('no settings')
  const answer = Promise.withResolvers<UpstreamResponse>()
  const sent: string[] = []
  const store = openSqlite(':memory:', 0)
  const gateway = createGateway({
    clock: { nowMs: () => 1_700_000_000_000 },
    venueClock: { nowMs: () => 1_700_000_000_000 },
    random: { bytes: (length) => new Uint8Array(length) },
    log: LOG,
    meter: createMeter(() => 0),
    settings: invocation.settings,
    store,
    upstream: {
      send: ({ path }) => {
        sent.push(path)
        return answer.promise
      },
    },
    advanceClock: null,
    faucet: null,
    shared: null,
    noteUnknown: () => undefined,
    isStepped: false,
    promote: null,
    controls: await loadControls(store.controls),
  })
  return { gateway, sent, answer }
}

/** What became of a call so far. */
function watched(call: Promise<unknown>) {
  const state = { became: 'waiting' }
  call.then(
    () => (state.became = 'answered'),
    (error) => (state.became = error instanceof Failure ? error.code : 'crash'),
  )
  return state
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('who shares a load waits ten seconds of its own, and takes nobody along', async () => {
  const { gateway, sent, answer } = await heldGateway()
  const leader = watched(markets(gateway))
  await pass(4_000)
  const early = watched(markets(gateway))
  await pass(3_000)
  const late = watched(markets(gateway))
  await pass(6_999)
  expect([leader, early, late].map(({ became }) => became)).toEqual(Array(3).fill('waiting'))
  await pass(1)
  expect([leader, early, late].map(({ became }) => became)).toEqual([
    'waiting',
    'upstream_timeout',
    'waiting',
  ])
  answer.resolve({ ...EMPTY, body: '{"success":true,"data":{"rows":[]}}' })
  await settled()
  expect([leader, late].map(({ became }) => became)).toEqual(['answered', 'answered'])
  expect(sent).toEqual(['/v1/public/futures'])
})
