import { describe, expect, test } from 'bun:test'
import { FIGURE_READS } from '../../../src/perp/figure-reads.ts'
import {
  BTC,
  call,
  caller,
  mandate,
  openInstanceOn,
  openWorldForEach,
  outcomeOf,
  USDC,
  world,
} from './gate-world.ts'

openWorldForEach()

const row = (algo_order_id: number, own: object) => ({
  ...{ algo_order_id, symbol: BTC, side: 'SELL', algo_type: 'STOP', algo_status: 'NEW' },
  ...{ is_triggered: 'false', quantity: 0.1, total_executed_quantity: 0, reduce_only: false },
  ...{ trigger_price: 40_000, child_orders: [], ...own },
})
const leg = (id: number, algo_type = 'STOP_LOSS') => row(id, { algo_type, reduce_only: true })
/** A stop that opens, one that reduces, a stop of a position, a bracket. */
const WAITING = [
  row(1, {}),
  row(2, { reduce_only: true }),
  row(3, { algo_type: 'POSITIONAL_TP_SL', child_orders: [row(4, { type: 'CLOSE_POSITION' })] }),
  row(5, {
    algo_type: 'BRACKET',
    child_orders: [row(6, { algo_type: 'TP_SL', child_orders: [leg(7), leg(8, 'TAKE_PROFIT')] })],
  }),
  row(9, { algo_type: 'TP_SL', child_orders: [leg(10), row(11, { algo_type: 'TAKE_PROFIT' })] }),
]
const edit = (body: object) =>
  ({ method: 'PUT', path: '/v1/algo/order', body: JSON.stringify(body) }) as const
const moved = { trigger_price: 41_000 }
const toLeg = (order_id: number, ...child_orders: object[]) => ({ order_id, child_orders })

async function readWaiting(path: string = FIGURE_READS[0]): Promise<void> {
  world.waiting = WAITING
  expect(await outcomeOf({ method: 'GET', path })).toBe('sent')
}

describe.each([
  ['a limit of value', { maxOrderUsdc: USDC }, 'none'],
  ['a freeze', {}, 'key'],
] as const)('under %s an edit of a conditional order', (_, limits, frozenBy) => {
  test.each([
    ['that only reduces', { order_id: '2', ...moved }],
    ['whose id is a number', { order_id: 2, quantity: 5 }],
    ['of a position', toLeg(3, { order_id: 4, ...moved })],
    ['as legs of a bracket', toLeg(5, toLeg(6, { order_id: 7, ...moved }))],
  ])('%s goes once it was read, and not before', async (_name, body) => {
    await mandate(limits, frozenBy)
    expect(await outcomeOf(edit(body))).toMatchObject({ code: 'mandate_exceeded' })
    await readWaiting()
    expect(await outcomeOf(edit(body))).toBe('sent')
  })

  test.each([
    ['that opens', { order_id: 1, ...moved }],
    ['that nobody has read', { order_id: 12, ...moved }],
    ['without an id', moved],
    [
      'that changes a bracket itself',
      { ...toLeg(5, toLeg(6, { order_id: 7, ...moved })), price: 1 },
    ],
    ['with a leg that opens', toLeg(9, { order_id: 10, ...moved }, { order_id: 11, ...moved })],
    ['of a group with a leg that opens', { order_id: 9, quantity: 5 }],
    ['that names an order and nothing of it', { order_id: 1 }],
    ['that hides an order which opens under one that reduces', toLeg(2, { order_id: 1, ...moved })],
  ])('%s stays refused after the read', async (_name, body) => {
    await mandate(limits, frozenBy)
    await readWaiting()
    expect(await outcomeOf(edit(body))).toMatchObject({ code: 'mandate_exceeded' })
    expect(world.sent).toEqual([])
  })
})

test('the refusal names the read after which an edit goes', async () => {
  await mandate({ maxOrderUsdc: USDC })
  expect(await outcomeOf(edit({ order_id: 2, ...moved }))).toMatchObject({
    reason: 'unknown',
    next: expect.stringContaining(`GET ${FIGURE_READS[0]}`),
  })
})

test('what one instance has read, another does not know', async () => {
  await mandate({ maxOrderUsdc: USDC })
  await readWaiting()
  const other = await openInstanceOn(world.store)
  await other.prove(caller)
  const refused = await call(edit({ order_id: 2, ...moved }), caller, other)
  expect(refused.outcome).toMatchObject({ code: 'mandate_exceeded', reason: 'unknown' })
})
