import { expect, test } from 'bun:test'
import { HOUR_MS } from '../../../src/contract/durations.ts'
import { openVenueFixture } from '../fixture.ts'
import { BTC } from '../past/small-feed.ts'

test('the trades of the day are those of the last 1440 minutes, after newer ones and a restart too', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  const trade = (side: string, order_quantity: number) =>
    trader.order({ side, order_type: 'MARKET', order_price: null, order_quantity })
  const feesOfDay = async () => (await trader.get(`/v1/position/${BTC}`)).data.fee_24_h
  await trade('BUY', 0.1)
  const first = await feesOfDay()
  fixture.sleep(HOUR_MS)
  await trade('BUY', 0.2)
  const both = await feesOfDay()
  expect(both).toBeGreaterThan(2.5 * first)

  fixture.sleep(23 * HOUR_MS - 1)
  expect(await feesOfDay()).toBe(both)
  fixture.restart()
  expect(await feesOfDay()).toBe(both)
  fixture.sleep(1)
  expect(await feesOfDay()).toBeCloseTo(both - first, 6)

  await trade('SELL', 0.3)
  const later = await feesOfDay()
  expect(later).toBeGreaterThan(both)
  fixture.sleep(HOUR_MS)
  expect(await feesOfDay()).toBeCloseTo(later - (both - first), 6)
})
