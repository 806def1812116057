import { expect, test } from 'bun:test'
import { openVenueFixture, type VenueFixture } from '../../fixture.ts'
import { publicGet } from '../../trading-wallet.ts'

const WEEK_MS = 7 * 86_400_000

const read = async (fixture: VenueFixture, path: string) =>
  (await fixture.send(publicGet(path))).data
const pointsOf = (fixture: VenueFixture, address: string) =>
  fixture.send(publicGet(`/v1/client/points?address=${address}`))
const ranking = (fixture: VenueFixture, stage: number, period: string) =>
  read(fixture, `/v1/public/points/rankings?stage=${stage}&period=${period}&size=500`)

test('epochs are weeks from Monday, the running one first', async () => {
  using fixture = openVenueFixture()
  const { rows } = await read(fixture, '/v1/public/points/epoch_dates')
  expect(rows).toHaveLength(12)
  const [running, before] = rows
  expect(new Date(running.epoch_start_date).getUTCDay()).toBe(1)
  expect(fixture.nowMs()).toBeWithin(running.epoch_start_date, running.epoch_end_date)
  expect(before.epoch_end_date).toBe(running.epoch_start_date)
  expect(before.epoch_id).toBe(running.epoch_id - 1)
})

test('a wallet has a point for every USDC it traded and ten for every one it paid, in its week, and a rank among all', async () => {
  using fixture = openVenueFixture()
  const [busy, idle] = [await fixture.trader('busy'), await fixture.trader('idle')]
  await busy.order({ order_type: 'MARKET', order_price: null })
  const [fill] = (await busy.get('/v1/trades')).data.rows
  const points = Math.floor(fill.executed_price * fill.executed_quantity + 10 * fill.fee)
  expect(points).toBeGreaterThan(fill.executed_price * fill.executed_quantity)
  const now = (await pointsOf(fixture, busy.address)).data
  expect(now).toMatchObject({
    total_points: points,
    current_epoch_points: points,
    rows: [{ points, rank: now.current_epoch_rank }],
  })
  expect((await pointsOf(fixture, busy.address)).data).toEqual(now)
  // The rank of the running week is the place in the rankings.
  const { rows: leaders } = await read(
    fixture,
    `/v1/public/points/rankings?stage=2&period=this_week&size=500`,
  )
  const ahead = leaders.filter((row: { total_points: number }) => row.total_points > points)
  expect(now.current_epoch_rank).toBe(ahead.length + 1)
  expect(leaders[ahead.length]).toMatchObject({ rank: ahead.length + 1, total_points: points })
  const inactive = (await pointsOf(fixture, idle.address.toUpperCase().replace('0X', '0x'))).data
  expect(inactive).toMatchObject({ total_points: 0, rows: [] })
  expect(inactive.global_rank).toBe(leaders.length + 1)
  fixture.sleep(WEEK_MS)
  expect((await pointsOf(fixture, busy.address)).data).toMatchObject({
    total_points: points,
    current_epoch_points: 0,
    rows: now.rows,
  })
  fixture.restart()
  expect((await pointsOf(fixture, busy.address)).data).toMatchObject({ total_points: points })
})

test('the rankings of a stage are by the week and over all of it, also after a restart', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('one')
  const before = await ranking(fixture, 2, 'this_week')
  await trader.order({ order_type: 'MARKET', order_price: null, order_quantity: 0.12 })
  const led = await ranking(fixture, 2, 'this_week')
  const address = trader.address.toLowerCase()
  // The trader and the market maker that sold to it.
  expect(led.meta).toMatchObject({ total: before.meta.total + 2, records_per_page: 500 })
  const rowOf = ({ rows }: typeof led) =>
    rows.find((row: { address: string }) => row.address === address)
  const own = (await pointsOf(fixture, trader.address)).data
  expect(rowOf(led).total_points).toBe(own.total_points)
  expect(rowOf(before)).toBeUndefined()
  fixture.sleep(WEEK_MS)
  fixture.restart()
  expect(rowOf(await ranking(fixture, 2, 'this_week'))).toBeUndefined()
  for (const period of ['last_week', 'all_time'])
    expect(rowOf(await ranking(fixture, 2, period)).total_points).toBe(own.total_points)
  expect(rowOf(await ranking(fixture, 1, 'all_time'))).toBeUndefined()
})

// Slow: thirteen weeks of a venue are simulated.
test('stages are completed, active or still to come by the clock', async () => {
  using fixture = openVenueFixture()
  const stages = async (query = '') =>
    (await read(fixture, `/v1/public/points/stages?broker_id=demo${query}`)).rows
  const [before, now] = await stages()
  expect(before).toMatchObject({ stage_id: 1, status: 'completed', is_continous: false })
  expect(now).toMatchObject({ stage_id: 2, status: 'active', start_time: before.end_time })
  expect(fixture.nowMs() / 1000).toBeWithin(now.start_time, now.end_time)
  expect(await stages()).toHaveLength(2)
  const [next] = await stages('&status=pending')
  expect(next).toMatchObject({ stage_id: 3, start_time: now.end_time })
  expect(await stages('&stage_id=2')).toEqual([now])
  expect(await stages('&status=completed')).toEqual([before])
  fixture.warp(13 * WEEK_MS)
  expect(await stages('&status=active')).toMatchObject([{ stage_id: 3 }])
})

test.each([
  ['/v1/client/points', -1005],
  ['/v1/client/points?address=0x12', -1005],
  [`/v1/client/points?address=0x${'1f'.repeat(20)}`, -1607],
  ['/v1/public/points/stages', -1005],
  ['/v1/public/points/rankings?stage=2', -1005],
  ['/v1/public/points/rankings?period=all_time', -1005],
  ['/v1/public/points/rankings?stage=2&period=ever', -1005],
  ['/v1/public/points/rankings?stage=0&period=all_time', -1005],
  ['/v1/public/points/rankings?stage=99&period=all_time', -1006],
])('%s is refused with %p', async (path, code) => {
  using fixture = openVenueFixture()
  expect((await fixture.send(publicGet(path))).code).toBe(code)
})
