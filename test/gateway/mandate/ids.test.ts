import { expect, test } from 'bun:test'
import { LIMITS } from '../../../src/contract/limits.ts'
import {
  BTC,
  buy,
  caller,
  mandate,
  openWorldForEach,
  outcomeOf,
  time,
  world,
} from './gate-world.ts'

openWorldForEach()

/** Orders of the account that were sent before, with ids of their own. */
function sentBefore(orders: number) {
  const scope = `mandate ${caller.accountId.toLowerCase()}`
  const uses = [{ symbol: BTC, micros: 0n, orders }]
  const reservation = { scope, identity: 'before', atMs: time.nowMs, uses }
  return world.store.spending.reserve(reservation, () => null, 0)
}

test('an account whose orders go once by their ids has no more ids held than its share of a day', async () => {
  await mandate({ onceByClientOrderId: true })
  await sentBefore(LIMITS.orderIdsHeldMax - 1)
  expect(await outcomeOf(buy(10, { client_order_id: 'last' }))).toBe('sent')
  expect(await outcomeOf(buy(10, { client_order_id: 'more' }))).toMatchObject({
    ...{ code: 'mandate_exceeded', reason: 'rate', left: 0 },
    ...{ limit: LIMITS.orderIdsHeldMax, requested: LIMITS.orderIdsHeldMax + 1 },
  })
  await mandate({ maxOrdersPerMinute: 10 * LIMITS.orderIdsHeldMax })
  expect(await outcomeOf(buy(10, { client_order_id: 'without' }))).toBe('sent')
})
