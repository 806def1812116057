import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'bun:test'
import { LIMITS } from '../../src/contract/limits.ts'
import { FAULTS, type FaultKind } from '../../src/contract/venue/faults.ts'
import { envelope, jsonPost } from '../caller.ts'
import { openVenueFixture, REACHES, type VenueFixture } from './venue-fixture.ts'

/** The outcome for callers of the gateway under each fault of a call: 200, or a failure's code. */
type Row = {
  readonly kind: FaultKind
  readonly terms?: object
  readonly read: string | number
  readonly write: string | number
  /** Whether the write was done all the same. */
  readonly done: boolean
}

const GONE = { read: 'upstream_unavailable', write: 'outcome_unknown' } as const

const ROWS: readonly Row[] = [
  { kind: 'delay', terms: { ms: 50 }, read: 200, write: 200, done: true },
  { kind: 'delay', terms: { ms: 20, sigma: 1 }, read: 200, write: 200, done: true },
  { kind: 'reset-before', ...GONE, done: false },
  { kind: 'reset-after', ...GONE, done: true },
  { kind: 'busy', read: 'upstream_busy', write: 'upstream_busy', done: false },
  { kind: 'error-500', ...GONE, done: false },
  { kind: 'error-502', ...GONE, done: false },
  { kind: 'error-503', ...GONE, done: false },
  { kind: 'maintenance', ...GONE, done: false },
  { kind: 'truncated', ...GONE, done: true },
  { kind: 'huge', ...GONE, done: true },
  { kind: 'wrong-type', ...GONE, done: true },
  { kind: 'skew', terms: { ms: 60_000 }, read: 200, write: 200, done: true },
  { kind: 'stale', read: 200, write: 200, done: true },
  { kind: 'duplicate', read: 200, write: 200, done: true },
  { kind: 'silent-cancel', read: 200, write: 200, done: true },
  { kind: 'partial-fill', terms: { share: 0.3 }, read: 200, write: 200, done: true },
]

/** A turn of the event loop, whose timers may stand still. */
function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    resolve()
  }
  port2.postMessage(null)
  return promise
}

describe.each([...REACHES])('a gateway under faults of the venue, %s,', (reach) => {
  let fixture: VenueFixture
  beforeAll(async () => {
    fixture = await openVenueFixture(reach)
  })
  afterEach(() => fixture.command('faults/clear'))
  afterAll(() => fixture.stop())

  async function relay(signed: object): Promise<string | number> {
    const response = await fixture.target.fetch('/api/prep/relay', jsonPost(signed))
    return response.ok ? 200 : Object(await response.json()).code
  }

  const read = () => relay(envelope(fixture.user, { method: 'GET', path: '/v1/orders' }))

  function order(clientOrderId: string) {
    const symbol = 'PERP_ETH_USDC'
    const terms = { side: 'BUY', order_type: 'LIMIT', order_price: 2000, order_quantity: 0.01 }
    const body = JSON.stringify({ symbol, ...terms, client_order_id: clientOrderId })
    return envelope(fixture.user, { method: 'POST', path: '/v1/order', body })
  }

  /** How many orders the venue has of this name. */
  async function placed(clientOrderId: string): Promise<number> {
    const signed = envelope(fixture.user, { method: 'GET', path: '/v1/orders?size=500' })
    const response = await fixture.target.fetch('/api/prep/relay', jsonPost(signed))
    const { rows } = Object(await response.json())
    return rows.filter((row: { client_order_id: string }) => row.client_order_id === clientOrderId)
      .length
  }

  // Slow: each fault takes eight calls of venues, one of which answers more than may be read.
  test.each([...ROWS])(
    '$kind $terms: answers from the closed list, and sends no write twice',
    async ({ kind, terms, ...expected }) => {
      const name = crypto.randomUUID()
      const signed = order(name)
      expect((await fixture.command('faults/add', { kind, ...terms })).status).toBe(200)
      expect(await read()).toBe(expected.read)
      expect(await relay(signed)).toBe(expected.write)
      await fixture.command('faults/clear')
      expect(await placed(name)).toBe(expected.done ? 1 : 0)
      const repeated = expected.write === 'upstream_busy' ? 200 : expected.write
      expect(await relay(signed)).toBe(repeated)
      expect(await placed(name)).toBe(expected.done || repeated === 200 ? 1 : 0)
      expect(await read()).toBe(200)
    },
  )

  test('a stalled call ends at its deadline, the write unknown and not done', async () => {
    const name = crypto.randomUUID()
    await fixture.command('faults/add', { kind: 'stall', count: 2 })
    // The gateway is in this process, whatever its venue is in: its deadlines pass at once.
    vi.useFakeTimers({ now: Date.now() })
    try {
      const calls = Promise.all([read(), relay(order(name))])
      while (Object((await fixture.command('faults/list')).body)['rows'].length > 0)
        await nextTurn()
      vi.advanceTimersByTime(LIMITS.upstreamWriteDeadlineMs)
      expect(await calls).toEqual(['upstream_timeout', 'outcome_unknown'])
    } finally {
      vi.useRealTimers()
    }
    await fixture.command('faults/clear')
    expect(await placed(name)).toBe(0)
  })

  test('a clock far off refuses signatures, and nothing is done', async () => {
    const name = crypto.randomUUID()
    await fixture.command('faults/add', { kind: 'skew', ms: 400_000_000 })
    expect((await fixture.command('faults/list')).body['rows']).toEqual([])
    await fixture.command('faults/add', { kind: 'skew', ms: 80_000_000 })
    expect(await read()).toBe('invalid_signature')
    expect(await relay(order(name))).toBe('invalid_signature')
    await fixture.command('faults/clear')
    expect(await placed(name)).toBe(0)
  })

  test('stale data is what the same reader saw first, and no write is hidden for good', async () => {
    const name = crypto.randomUUID()
    await fixture.command('faults/add', { kind: 'stale', path: '/v1/orders' })
    expect(await placed(name)).toBe(0)
    expect(await relay(order(name))).toBe(200)
    expect(await placed(name)).toBe(0)
    await fixture.command('faults/clear')
    expect(await placed(name)).toBe(1)
  })

  test('a fault acts on its path, so many times, and no more', async () => {
    await fixture.command('faults/add', { kind: 'busy', path: '/v1/orders', count: 2 })
    expect(await relay(envelope(fixture.user, { method: 'GET', path: '/v1/positions' }))).toBe(200)
    expect([await read(), await read(), await read()]).toEqual([
      'upstream_busy',
      'upstream_busy',
      200,
    ])
  })

  test('every fault of calls is tried here', () => {
    const tried = new Set<FaultKind>([...ROWS.map(({ kind }) => kind), 'stall'])
    const calls = Object.entries(FAULTS).filter(([, { place }]) => place !== 'stream')
    expect(calls.map(([kind]) => kind).filter((kind) => !tried.has(kind as FaultKind))).toEqual([])
  })
})
