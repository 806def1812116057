import { describe, expect, test } from 'bun:test'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { OPERATION_SHAPES, RELAY_SHAPES, SHAPE_LIMITS } from '../../src/contract/venue/shapes.ts'
import { yieldToEventLoop } from '../../src/core/loop/guarded.ts'
import { createMeter } from '../../src/core/observing/meter.ts'
import type { LogFields, UpstreamRequest } from '../../src/core/ports.ts'
import { createShapeWatch } from '../../src/upstream/shape-watch.ts'
import { shapeChanges } from '../../src/upstream/wire/shape.ts'
import { OPERATION_ROWS, RELAY_ROWS } from '../surface/recorded-venue.ts'

const LEVERAGE = '/v1/public/leverage'
const AT_MS = 1_700_000_000_000

/** A watch, the lines that it logs, and a monotonic clock. */
function openWatch() {
  const lines: [string, LogFields | undefined][] = []
  const write = (event: string, fields?: LogFields) => void lines.push([event, fields])
  let nowMs = 0
  const meter = createMeter(() => nowMs)
  const log = { error: write, warn: write, info: write, debug: write }
  const watch = createShapeWatch({ meter, clock: { nowMs: () => AT_MS }, log })
  return {
    watch,
    lines,
    pass: (ms: number) => {
      nowMs += ms
    },
    counted: () => meter.samples('prepd_venue_changes_total'),
    answer: async (path: string, data: unknown, changes: Partial<UpstreamRequest> = {}) => {
      const body = typeof data === 'string' ? data : JSON.stringify({ success: true, data })
      answered(watch, path, body, changes)
      await yieldToEventLoop()
    },
  }
}

function answered(
  watch: ReturnType<typeof createShapeWatch>,
  path: string,
  body: string,
  changes: Partial<UpstreamRequest> = {},
): void {
  const request = { host: 'main', method: 'GET', path, headers: {}, lane: 'read', deadlineMs: 1 }
  watch.answered({ ...request, ...changes } as UpstreamRequest, {
    status: 200,
    contentType: 'application/json',
    body,
  })
}

describe('the shapes of answers', () => {
  test('are known of every operation that the venue answers, and of no other', () => {
    const asked = Object.entries(OPERATIONS).filter(([, { answers }]) => answers !== 'here')
    expect(Object.keys(OPERATION_SHAPES)).toEqual(asked.map(([id]) => id))
  })

  test.each([...OPERATION_ROWS].filter(({ id }) => id !== 'platform.ipInfo'))(
    'are those of the recorded answer: $id',
    async ({ id, path, host, answer }) => {
      const { watch, lines } = openWatch()
      const filled = path.replace('{symbol}', 'PERP_BTC_USDC')
      answered(watch, filled, JSON.stringify(answer), { host: host === 'sv' ? 'vaults' : 'main' })
      await yieldToEventLoop()
      expect({ id, lines }).toEqual({ id, lines: [] })
    },
  )

  test.each(RELAY_ROWS.filter(({ method }) => method === 'GET'))(
    'are those of the recorded relayed answer: $path',
    ({ path, answer }) => {
      const [template = ''] = path.split('?')
      const shape = RELAY_SHAPES[template] ?? 'any'
      expect(shapeChanges(shape, Object(answer).data)).toEqual([])
    },
  )
})

describe('a watch of answers', () => {
  test('counts a difference each time, logs it once and lists it', async () => {
    const { answer, lines, pass, counted, watch } = openWatch()
    for (let minute = 0; minute < 3; minute++) {
      await answer(LEVERAGE, { max_futures_leverage: 10, fresh: [] })
      pass(SHAPE_LIMITS.sampleEveryMs)
    }
    const change = { operation: 'markets.leverage' }
    const typed = { ...change, kind: 'other_type', field: 'max_futures_leverage', found: 'num' }
    const added = { ...change, kind: 'unknown_field', field: 'fresh', found: 'list' }
    expect(lines).toEqual([
      ['venue_changed', typed],
      ['venue_changed', added],
    ])
    expect(counted()).toEqual([{ labels: ['markets.leverage'], value: 6 }])
    expect(watch.changes()).toEqual([
      { ...typed, count: 3, sinceMs: AT_MS },
      { ...added, count: 3, sinceMs: AT_MS },
    ] as never)
  })

  test('looks at one answer of an operation a minute, and at the next one a minute later', async () => {
    const { answer, pass, counted } = openWatch()
    const changed = { max_futures_leverage: 10 }
    await answer(LEVERAGE, changed)
    pass(SHAPE_LIMITS.sampleEveryMs - 1)
    await answer(LEVERAGE, changed)
    expect(counted()).toMatchObject([{ value: 1 }])
    pass(1)
    await answer(LEVERAGE, changed)
    expect(counted()).toMatchObject([{ value: 2 }])
  })

  test('looks after the answer was handed on, and holds eight answers at a time', async () => {
    const { watch, counted } = openWatch()
    const body = JSON.stringify({ success: true, data: {} })
    const paths = Object.values(OPERATIONS).flatMap(({ host, path }) =>
      host === 'main' && path.startsWith('/v1/public/') && !path.includes('{') ? [path] : [],
    )
    expect(paths.length).toBeGreaterThan(SHAPE_LIMITS.waitingMax)
    for (const path of paths) answered(watch, path, body)
    expect(counted()).toEqual([])
    await yieldToEventLoop()
    expect(counted()).toHaveLength(SHAPE_LIMITS.waitingMax)
    for (const path of paths.slice(SHAPE_LIMITS.waitingMax)) answered(watch, path, body)
    await yieldToEventLoop()
    expect(counted()).toHaveLength(2 * SHAPE_LIMITS.waitingMax)
  })

  test.each([
    ['a refusal', LEVERAGE, '{"success":false,"code":-1000,"message":"no"}'],
    ['an answer without data', LEVERAGE, '{"success":true}'],
    ['text that is no JSON', LEVERAGE, '<html>'],
    ['an answer that is too long', LEVERAGE, `{"data":{"x":"${'x'.repeat(600_000)}"}}`],
    ['a path without a shape', '/v1/nothing', '{"data":{"x":1}}'],
  ])('passes over %s', async (_, path, body) => {
    const { answer, lines } = openWatch()
    await answer(path, body)
    expect(lines).toEqual([])
  })

  test('passes over writes and other hosts', async () => {
    const { answer, lines } = openWatch()
    await answer(LEVERAGE, {}, { method: 'POST' })
    await answer(LEVERAGE, {}, { host: 'vaults' })
    expect(lines).toEqual([])
  })

  test('finds a path that ends in an id, and private answers by the name of their path', async () => {
    const { answer, lines } = openWatch()
    await answer('/v1/public/funding_rate/PERP_ETH_USDC?x=1', { ...Object(null), symbol: 1 })
    await answer('/v1/order/12345', { order_id: 'secret' })
    const operations = new Set(lines.map(([, fields]) => fields?.['operation']))
    expect([...operations]).toEqual(['funding.get', 'relay.order.order_id'])
    expect(JSON.stringify(lines)).not.toMatch(/12345|secret/)
  })

  test('lists at most 200 differences, and no name of a venue', async () => {
    const { answer, watch, pass } = openWatch()
    for (let round = 0; round < 10; round++) {
      const names = Array.from({ length: 60 }, (_, at) => [`new${round}_${at}`, 1])
      await answer(LEVERAGE, { max_futures_leverage: '1', ...Object.fromEntries(names) })
      pass(SHAPE_LIMITS.sampleEveryMs)
    }
    expect(watch.changes()).toHaveLength(SHAPE_LIMITS.changesMax)
    const other = openWatch()
    await answerNamed(other.answer)
    expect(other.watch.changes().map(({ field }) => field)).toEqual(['(withheld)', 'plain_name'])
  })
})

function answerNamed(answer: (path: string, data: unknown) => Promise<void>): Promise<void> {
  const named = { orderly_tier: 1, 'a b\n': 1, plain_name: 1 }
  return answer(LEVERAGE, { max_futures_leverage: '1', ...named })
}
