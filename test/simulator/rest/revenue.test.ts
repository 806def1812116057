import { expect, test } from 'bun:test'
import { openVenueFixture, type Trader, type VenueFixture } from '../fixture.ts'

const dayOf = (fixture: VenueFixture) => new Date(fixture.nowMs()).toISOString().slice(0, 10)
const read = ({ get }: Trader, from: string, to: string) =>
  get(`/v1/broker/daily_fee_revenue?start_date=${from}&end_date=${to}`)

test('a broker’s operator reads what its accounts paid, by day, and no other account does', async () => {
  using fixture = openVenueFixture()
  const [operator, own, other] = [
    await fixture.trader('operator'),
    await fixture.trader('own'),
    await fixture.trader('other', { brokerId: 'another' }),
  ]
  const day = dayOf(fixture)
  expect((await read(operator, day, day)).code).toBe(-1002)
  fixture.venue().affiliates.appoint(operator.accountId)
  expect((await read(operator, day, day)).data).toEqual({ rows: [] })
  for (const trader of [own, other]) await trader.order({ order_type: 'MARKET', order_price: null })
  const [{ fee }] = (await own.get('/v1/trades')).data.rows
  expect(fee).toBeGreaterThan(0)
  const { rows } = (await read(operator, day, day)).data
  expect(rows).toMatchObject([{ date: day, builder_fee_revenue: fee, total_revenue: fee }])
  expect((await read(own, day, day)).code).toBe(-1002)
})

test.each([
  ['', '2026-04-01'],
  ['2026-04-02', '2026-04-01'],
  ['2025-01-01', '2026-04-01'],
  ['yesterday', '2026-04-01'],
])('the days %p to %p are refused', async (from, to) => {
  using fixture = openVenueFixture()
  const operator = await fixture.trader('operator')
  fixture.venue().affiliates.appoint(operator.accountId)
  expect((await read(operator, from, to)).code).toBe(-1005)
})
