import { afterEach, beforeEach, describe, expect, test, vi } from 'bun:test'
import { reportFaultsTo } from '../../src/core/loop/guarded.ts'
import { createMeter } from '../../src/core/observing/meter.ts'
import { UpstreamError } from '../../src/core/ports.ts'
import { findMissingPart, startProbe } from '../../src/gateway/ready.ts'
import { observedUpstream } from '../../src/upstream/observed-upstream.ts'
import { pass } from '../fake-time.ts'

const SOON_MS = 250
const PROBE_MS = 15_000
const OK = {
  status: 200,
  contentType: 'application/json',
  body: '{"success":true,"timestamp":1700000090000,"data":{"status":0}}',
} as const

const ignore = (): void => undefined
let meter: ReturnType<typeof createMeter>
let stop = (): void => undefined
let asked = 0
let checks = 0
const world = {
  venueIsAway: false,
  storeTrouble: null as string | null,
  isStopping: false,
  /** What the store's check waits for. */
  held: Promise.resolve(),
}

function start(venue: 'embedded' | 'live'): void {
  const upstream = observedUpstream(
    {
      send: async () => {
        asked += 1
        if (world.venueIsAway) throw new UpstreamError('reset', true)
        return OK
      },
    },
    {
      meter,
      clock: { nowMs: () => 1_700_000_000_000 },
      log: { error: ignore, warn: ignore, info: ignore, debug: ignore },
      called: ignore,
      watch: null,
    },
  )
  const check = async () => {
    checks += 1
    await world.held
    return world.storeTrouble
  }
  stop = startProbe({
    meter,
    venue,
    upstream,
    store: { check },
    isStopping: () => world.isStopping,
  })
}

const figure = (series: string) => new RegExp(`^${series} (\\S+)$`, 'm').exec(meter.text())?.[1]

beforeEach(() => {
  vi.useFakeTimers()
  meter = createMeter(() => 0)
  asked = 0
  checks = 0
  const held = Promise.resolve()
  Object.assign(world, { venueIsAway: false, storeTrouble: null, isStopping: false, held })
})
afterEach(() => {
  stop()
  vi.useRealTimers()
})

describe('while nobody calls', () => {
  test('a check that takes long is waited for, and no other begins meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    world.held = promise
    start('embedded')
    await pass(SOON_MS)
    await pass(4 * PROBE_MS)
    expect(checks).toBe(1)
    resolve()
    await pass(0)
    await pass(PROBE_MS)
    expect(checks).toBe(2)
  })

  test('a check that throws is not ready and reported, until one is well again', async () => {
    const faults: unknown[] = []
    const restore = reportFaultsTo((_, error) => faults.push(error))
    start('embedded')
    await pass(SOON_MS)
    expect(figure('prepd_ready')).toBe('1')
    const error = new Error('a planted error')
    world.held = Promise.reject(error)
    await pass(PROBE_MS)
    expect([figure('prepd_ready'), faults]).toEqual(['0', [error]])
    world.held = Promise.resolve()
    await pass(PROBE_MS)
    expect([figure('prepd_ready'), faults]).toEqual(['1', [error]])
    restore()
  })

  test('a live venue is asked soon, then every 15 seconds, and no more after the stop', async () => {
    start('live')
    expect({ asked, ready: figure('prepd_ready') }).toEqual({ asked: 0, ready: undefined })
    await pass(SOON_MS)
    expect({ asked, ready: figure('prepd_ready') }).toEqual({ asked: 1, ready: '1' })
    await pass(PROBE_MS)
    await pass(PROBE_MS)
    expect(asked).toBe(3)
    stop()
    await pass(4 * PROBE_MS)
    expect(asked).toBe(3)
  })

  test('a venue that goes away is a fault each time and not ready, until it is back', async () => {
    start('live')
    await pass(SOON_MS)
    world.venueIsAway = true
    await pass(PROBE_MS)
    await pass(PROBE_MS)
    expect(figure('prepd_ready')).toBe('0')
    expect(figure('prepd_venue_faults_total{host="main",lane="read",fault="reset"}')).toBe('2')
    world.venueIsAway = false
    await pass(PROBE_MS)
    expect(figure('prepd_ready')).toBe('1')
  })

  test('the offset of the venue’s clock is known', async () => {
    start('live')
    await pass(SOON_MS)
    expect(figure('prepd_venue_clock_skew_seconds')).toBe('90')
  })

  test('a store that keeps nothing is not ready, and the venue is not asked for it', async () => {
    world.storeTrouble = 'SQLITE_FULL'
    start('live')
    await pass(SOON_MS)
    expect({ asked, ready: figure('prepd_ready') }).toEqual({ asked: 0, ready: '0' })
  })

  test('an embedded venue is left alone; its store is checked', async () => {
    world.venueIsAway = true
    start('embedded')
    await pass(SOON_MS)
    await pass(PROBE_MS)
    expect({ asked, checks, ready: figure('prepd_ready') }).toEqual({
      asked: 0,
      checks: 2,
      ready: '1',
    })
  })

  test('a process that is stopping is not ready, whatever it found', async () => {
    start('live')
    await pass(SOON_MS)
    world.isStopping = true
    expect(figure('prepd_ready')).toBe('0')
  })
})

describe('asked while the venue hangs', () => {
  const store = { check: async () => world.storeTrouble }

  /** A venue that hangs until its answer is given. */
  function hanging() {
    let answer = Promise.withResolvers<typeof OK>()
    const upstream = {
      send: () => {
        asked += 1
        return answer.promise
      },
    }
    return {
      deps: { upstream, store },
      answerWith: async (text: Promise<typeof OK>) => {
        answer.resolve(text)
        await text.catch(ignore)
        await pass(0)
        answer = Promise.withResolvers<typeof OK>()
      },
    }
  }

  /** What a check says within so long; `waits` where it says nothing. */
  async function foundWithin(ms: number, check: Promise<string | null>) {
    let found: string | null = 'waits'
    void check.then((missing) => {
      found = missing
    })
    // The store is checked first; then the venue is asked.
    await pass(0)
    await pass(ms)
    return found
  }

  test('it says what the last check found, in half a second, with one call however many ask', async () => {
    const { deps, answerWith } = hanging()
    const first = findMissingPart(deps)
    await pass(0)
    await answerWith(Promise.resolve(OK))
    expect(await first).toBeNull()
    asked = 0
    for (let at = 0; at < 3; at += 1)
      expect(await foundWithin(500, findMissingPart(deps))).toBeNull()
    expect(asked).toBe(1)
    await answerWith(Promise.reject(new UpstreamError('timeout', true)))
    expect(await foundWithin(499, findMissingPart(deps))).toBe('waits')
    expect(await foundWithin(500, findMissingPart(deps))).toBe('venue: upstream_timeout')
    await answerWith(Promise.resolve(OK))
    expect(await foundWithin(500, findMissingPart(deps))).toBeNull()
  })

  test('it waits for the first check of all, and says at once what is wrong with the store', async () => {
    const { deps, answerWith } = hanging()
    const first = findMissingPart(deps)
    expect(await foundWithin(5000, first)).toBe('waits')
    await answerWith(Promise.resolve(OK))
    expect(await first).toBeNull()
    world.storeTrouble = 'full'
    expect(await foundWithin(0, findMissingPart(deps))).toBe('store: full')
  })

  test('a store that does not answer within five seconds has timed out', async () => {
    const { deps } = hanging()
    const check = () => new Promise<null>(() => undefined)
    expect(await foundWithin(4990, findMissingPart({ ...deps, store: { check } }))).toBe('waits')
    expect(await foundWithin(5000, findMissingPart({ ...deps, store: { check } }))).toBe(
      'store: timeout',
    )
  })

  test('it says what a venue that answers says now, not what the last check found', async () => {
    let send: () => Promise<typeof OK> = async () => OK
    const deps = { upstream: { send: () => send() }, store }
    expect(await foundWithin(0, findMissingPart(deps))).toBeNull()
    send = () => Promise.reject(new UpstreamError('reset', true))
    expect(await foundWithin(0, findMissingPart(deps))).toBe('venue: upstream_unavailable')
  })
})
