import { expect, test } from 'bun:test'
import { watchAlgos } from '../../../src/simulator/stream/reports.ts'
import { openVenueFixture } from '../fixture.ts'
import { hold, LEGS, moveTo, place, STOP, TP_SL } from '../orders/conditional/calls.ts'
import { BTC } from '../past/small-feed.ts'

/** The reports about an account's algo orders since the last call. */
function watchOf(
  fixture: ReturnType<typeof openVenueFixture>,
  { accountId }: { readonly accountId: string },
) {
  const { peek } = fixture.venue()
  const watch = watchAlgos((path) => peek(path, { accountId }))
  watch()
  /** Plain JSON, as it goes over the wire. */
  return () => JSON.parse(JSON.stringify(watch()))
}

test('a stop is reported as it is placed and as it fills, in both forms of the wire', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  await place(trader, { ...STOP, trigger_price: 65_000 })
  const reports = watchOf(fixture, trader)
  const id = await place(trader, { ...STOP, client_order_id: 'mine', order_tag: 'tag' })
  const [first, second, ...others] = reports()
  expect(others).toEqual([])
  expect(first).toMatchObject({ topic: 'algoexecutionreport', data: [{ algoOrderId: id }] })
  expect(second).toMatchObject({
    topic: 'algoexecutionreportv2',
    data: {
      ...{ algoOrderId: id, rootAlgoOrderId: id, parentAlgoOrderId: 0, symbol: BTC },
      ...{ clientOrderId: 'mine', orderTag: 'tag', algoType: 'STOP', side: 'BUY', quantity: 0.1 },
      ...{ isTriggered: false, triggerPrice: 61_000, triggerPriceType: 'MARK_PRICE' },
      ...{ status: 'NEW', algoStatus: 'NEW', rootAlgoStatus: 'NEW', type: 'MARKET' },
      ...{ executedQuantity: 0, totalExecutedQuantity: 0, tradeId: 0, childOrders: [] },
    },
  })
  expect(reports()).toEqual([])
  moveTo(fixture, 61_000)
  const [, filled] = reports()
  const [trade] = (await trader.get(`/v1/algo/order/${id}/trades`)).data.rows
  expect(filled.data).toMatchObject({
    ...{
      status: 'FILLED',
      isTriggered: true,
      triggerStatus: 'SUCCESS',
      triggerTime: fixture.nowMs(),
    },
    ...{ tradeId: trade.id, executedPrice: 61_001, executedQuantity: 0.1, fee: trade.fee },
    ...{ totalExecutedQuantity: 0.1, averageExecutedPrice: 61_001, isMaker: false },
  })
})

test('legs are reported under their root, and only those that changed by themselves', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  await hold(trader)
  const id = await place(trader, TP_SL)
  const reports = watchOf(fixture, trader)
  const [profit] = (await trader.get(`/v1/algo/order/${id}`)).data.child_orders
  await trader.put('/v1/algo/order', {
    order_id: id,
    child_orders: [{ order_id: profit.algo_order_id, trigger_price: 62_000 }],
  })
  const [single, whole] = reports()
  expect(single.data).toMatchObject([
    { algoOrderId: profit.algo_order_id, parentAlgoOrderId: id, triggerPrice: 62_000 },
  ])
  expect(whole.data).toMatchObject({
    algoOrderId: id,
    childOrders: [{ triggerPrice: 62_000 }, { triggerPrice: LEGS.loss.trigger_price }],
  })
})

test('of another account nothing is reported', async () => {
  using fixture = openVenueFixture()
  const [trader, other] = [await fixture.trader('a'), await fixture.trader('b')]
  const reports = watchOf(fixture, other)
  await place(trader, STOP)
  expect(reports()).toEqual([])
})
