import { expect, test } from 'bun:test'
import { MANDATE_PATH } from '../../../src/contract/act-paths.ts'
import { mandateAct } from '../../../src/gateway/account/key-act.ts'
import { FIGURE_READS } from '../../../src/perp/figure-reads.ts'
import { parseOpenOrders, waitingToOpen } from '../../../src/perp/still-opening.ts'
import { parseWaiting } from '../../../src/perp/waiting.ts'
import { envelope } from '../../caller.ts'
import { FROM } from '../standby/instance.ts'
import {
  BTC,
  buy,
  caller,
  mandate,
  openWorldForEach,
  outcomeOf,
  time,
  USDC,
  world,
} from './gate-world.ts'

openWorldForEach()

const row = { symbol: BTC, side: 'BUY', quantity: 0.3, reduce_only: false }
const order = (order_id: number, own: object = {}) => ({
  ...{ ...row, order_id, status: 'NEW', total_executed_quantity: 0.1, ...own },
})
const waiting = (algo_order_id: number, own: object = {}) => ({
  ...{ ...row, algo_order_id, algo_type: 'STOP', algo_status: 'NEW', is_triggered: 'false' },
  ...{ total_executed_quantity: 0, child_orders: [], ...own },
})
const ORDERS = [order(1), order(2, { reduce_only: true }), order(3, { status: 'CANCELLED' })]
const CONDITIONALS = [
  waiting(4),
  waiting(5, { reduce_only: true }),
  waiting(6, {
    algo_type: 'POSITIONAL_TP_SL',
    child_orders: [
      waiting(7, { algo_type: 'STOP_LOSS', type: 'CLOSE_POSITION' }),
      waiting(8, { algo_type: 'TAKE_PROFIT', reduce_only: true }),
    ],
  }),
]
const answer = (rows: readonly object[]) => ({ rows, meta: { total: rows.length } })
const cancelOf = (path: string, id: number) => ({
  method: 'DELETE',
  path: `${path}?order_id=${id}&symbol=${BTC}`,
})
const OPENING = [
  {
    ...{ kind: 'open', orderId: 1, symbol: BTC, side: 'BUY', quantity: '0.2' },
    cancel: cancelOf('/v1/order', 1),
  },
  {
    ...{ kind: 'waiting', orderId: 4, symbol: BTC, side: 'BUY', quantity: '0.3' },
    cancel: cancelOf('/v1/algo/order', 4),
  },
]

test.each([undefined, null, 0, 'none'])(
  'an order whose id is %p cannot be cancelled alone, so that nothing is known',
  (id) => {
    const order_id = id as never
    expect(parseOpenOrders(answer([order(1), order(order_id)]))).toBeNull()
    expect(parseWaiting(answer([waiting(4), waiting(order_id)]))).toBeNull()
  },
)

test('what can still open is each order alone, and never one that protects a position', () => {
  const waiting = waitingToOpen(parseWaiting(answer(CONDITIONALS)) ?? [])
  expect([...(parseOpenOrders(answer(ORDERS)) ?? []), ...waiting]).toEqual([...OPENING] as never)
  expect(parseOpenOrders({ rows: ORDERS, meta: { total: 4 } })).toBeNull()
  expect(parseWaiting({ rows: CONDITIONALS })).toBeNull()
})

async function act(method: 'GET' | 'PUT', body?: object) {
  time.nowMs += 1
  const call = { method, path: MANDATE_PATH, timestamp: String(time.nowMs) }
  const signed = envelope(caller, { ...call, ...(body && { body: JSON.stringify(body) }) })
  return JSON.parse((await mandateAct(world.instance.gateway, signed, FROM)).reply.text())
}

async function read(): Promise<void> {
  world.readAnswer = async () => ({ success: true, data: answer(ORDERS) })
  world.waiting = CONDITIONALS
  for (const path of ['/v1/orders?status=INCOMPLETE&size=500', FIGURE_READS[0]])
    expect(await outcomeOf({ method: 'GET', path })).toBe('sent')
}

test('a freeze names the orders that can still open, whose cancels go, and does not know them without reads', async () => {
  await mandate({ maxOrderUsdc: 10n })
  await read()
  expect(await act('GET')).not.toHaveProperty('stillOpening')
  expect(await act('PUT', { frozen: true })).toMatchObject({
    ...{ frozenBy: 'key', stillOpening: OPENING },
  })
  world.orderAnswer = async () => ({ success: true, data: { status: 'CANCEL_SENT' } })
  for (const { cancel } of OPENING)
    expect(await outcomeOf({ method: 'DELETE', path: cancel.path })).toBe('sent')
  time.nowMs += 10_000
  expect(await act('GET')).toMatchObject({ stillOpening: null })
})

test.each([[{ reduceOnly: true }], [{ readOnly: true }], [{ expiresAtMs: 1 }]])(
  'so does the answer within %p',
  async (limits) => {
    await mandate(limits)
    await read()
    expect(await act('GET')).toMatchObject({ frozenBy: 'none', stillOpening: OPENING })
  },
)

test('an order that was sent after the reads makes what can still open unknown, until it is read again', async () => {
  await mandate({ maxOrderUsdc: 10_000n * USDC })
  await read()
  expect(await outcomeOf(buy(50))).toBe('sent')
  expect(await act('PUT', { frozen: true })).toMatchObject({ stillOpening: null })
  await read()
  expect(await act('GET')).toMatchObject({ stillOpening: OPENING })
})

test('an answer that comes late does not replace that of a later read', async () => {
  await mandate({}, 'key')
  const late = Promise.withResolvers<object>()
  world.readAnswer = () => late.promise
  const path = '/v1/orders?status=INCOMPLETE&size=500'
  const early = outcomeOf({ method: 'GET', path })
  await read()
  late.resolve({ success: true, data: answer([]) })
  expect(await early).toBe('sent')
  expect(await act('GET')).toMatchObject({ stillOpening: OPENING })
})
