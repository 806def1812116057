import { expect, test } from 'bun:test'
import { readEndState } from '../../../src/lab/eval/end.ts'
import { openVenueFixture } from '../../simulator/fixture.ts'
import { BTC } from '../../simulator/past/small-feed.ts'

test('a stop protects the position of its own margin mode, not the other one of its market', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  const read = (...paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await trader.get(path)).data))
  const world = { read }
  const buy = { order_type: 'MARKET', order_price: null, order_quantity: 0.05 }
  await trader.order(buy)
  await trader.order({ ...buy, margin_mode: 'ISOLATED' })
  const protect = (margin_mode: string) =>
    trader.post('/v1/algo/order', {
      ...{ symbol: BTC, algo_type: 'POSITIONAL_TP_SL', margin_mode },
      child_orders: [
        {
          ...{ symbol: BTC, algo_type: 'STOP_LOSS', type: 'CLOSE_POSITION', side: 'SELL' },
          ...{ reduce_only: true, trigger_price: 58_000 },
        },
      ],
    })
  const unprotected = async () => (await readEndState(world)).unprotected
  expect(await unprotected()).toBe(2)
  await protect('ISOLATED')
  expect(await readEndState(world)).toMatchObject({ positions: 2, unprotected: 1 })
  await protect('CROSS')
  expect(await unprotected()).toBe(0)
})
