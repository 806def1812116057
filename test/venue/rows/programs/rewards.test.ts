import { expect, test } from 'bun:test'
import { type Desk, openDesk } from '../../trading-desk.ts'
import { publicGet } from '../../trading-wallet.ts'

const WEEK_MS = 7 * 86_400_000

const read = async (desk: Desk, path: string) => (await desk.send(publicGet(path))).data
const pointsOf = (desk: Desk, address: string) =>
  desk.send(publicGet(`/v1/client/points?address=${address}`))
const ranking = (desk: Desk, stage: number, period: string) =>
  read(desk, `/v1/public/points/rankings?stage=${stage}&period=${period}`)

test('epochs are weeks from Monday, the running one first', async () => {
  using desk = openDesk()
  const { rows } = await read(desk, '/v1/public/points/epoch_dates')
  expect(rows).toHaveLength(12)
  const [running, before] = rows
  expect(new Date(running.epoch_start_date).getUTCDay()).toBe(1)
  expect(desk.nowMs()).toBeWithin(running.epoch_start_date, running.epoch_end_date)
  expect(before.epoch_end_date).toBe(running.epoch_start_date)
  expect(before.epoch_id).toBe(running.epoch_id - 1)
})

test('a wallet has a point for every USDC it traded and ten for every one it paid, in its week, and a rank among all', async () => {
  using desk = openDesk()
  const [busy, idle] = [await desk.trader('busy'), await desk.trader('idle')]
  await busy.order({ order_type: 'MARKET', order_price: null })
  const [fill] = (await busy.get('/v1/trades')).data.rows
  const points = Math.floor(fill.executed_price * fill.executed_quantity + 10 * fill.fee)
  expect(points).toBeGreaterThan(fill.executed_price * fill.executed_quantity)
  const now = (await pointsOf(desk, busy.address)).data
  expect(now).toMatchObject({
    total_points: points,
    global_rank: 1,
    current_epoch_points: points,
    current_epoch_rank: 1,
    rows: [{ points, rank: 1 }],
  })
  expect((await pointsOf(desk, busy.address)).data).toEqual(now)
  // The house, which sold to it, pays no fees and is second.
  expect((await pointsOf(desk, idle.address.toUpperCase().replace('0X', '0x'))).data).toMatchObject(
    {
      total_points: 0,
      global_rank: 3,
      rows: [],
    },
  )
  desk.sleep(WEEK_MS)
  expect((await pointsOf(desk, busy.address)).data).toMatchObject({
    total_points: points,
    current_epoch_points: 0,
    rows: now.rows,
  })
  desk.restart()
  expect((await pointsOf(desk, busy.address)).data).toMatchObject({ total_points: points })
})

test('who leads a stage is told by the week and over all of it, and a restart knows it still', async () => {
  using desk = openDesk()
  const trader = await desk.trader('one')
  expect(await ranking(desk, 2, 'this_week')).toMatchObject({ meta: { total: 0 }, rows: [] })
  await trader.order({ order_type: 'MARKET', order_price: null })
  const led = await ranking(desk, 2, 'this_week')
  const address = trader.address.toLowerCase()
  expect(led).toMatchObject({
    meta: { total: 2, records_per_page: 20 },
    rows: [{ rank: 1, address }, { rank: 2 }],
  })
  const own = (await pointsOf(desk, trader.address)).data
  expect(led.rows[0].total_points).toBe(own.total_points)
  desk.sleep(WEEK_MS)
  desk.restart()
  expect(await ranking(desk, 2, 'this_week')).toMatchObject({ rows: [] })
  for (const period of ['last_week', 'all_time'])
    expect((await ranking(desk, 2, period)).rows).toEqual(led.rows)
  expect((await ranking(desk, 1, 'all_time')).rows).toEqual([])
})

test('stages are completed, active or still to come by the clock', async () => {
  using desk = openDesk()
  const stages = async (query = '') =>
    (await read(desk, `/v1/public/points/stages?broker_id=demo${query}`)).rows
  const [before, now] = await stages()
  expect(before).toMatchObject({ stage_id: 1, status: 'completed', is_continous: false })
  expect(now).toMatchObject({ stage_id: 2, status: 'active', start_time: before.end_time })
  expect(desk.nowMs() / 1000).toBeWithin(now.start_time, now.end_time)
  expect(await stages()).toHaveLength(2)
  const [next] = await stages('&status=pending')
  expect(next).toMatchObject({ stage_id: 3, start_time: now.end_time })
  expect(await stages('&stage_id=2')).toEqual([now])
  expect(await stages('&status=completed')).toEqual([before])
  desk.warp(13 * WEEK_MS)
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
  using desk = openDesk()
  expect((await desk.send(publicGet(path))).code).toBe(code)
})
