import { expect, test } from 'bun:test'
import { type Desk, openDesk } from '../trading-desk.ts'
import { publicGet } from '../trading-wallet.ts'

const WEEK_MS = 7 * 86_400_000

const pointsOf = (desk: Desk, address: string) =>
  desk.send(publicGet(`/v1/client/points?address=${address}`))

test('epochs are weeks from Monday, the running one first', async () => {
  using desk = openDesk()
  const { rows } = (await desk.send(publicGet('/v1/public/points/epoch_dates'))).data
  expect(rows).toHaveLength(12)
  const [running, before] = rows
  expect(new Date(running.epoch_start_date).getUTCDay()).toBe(1)
  expect(desk.nowMs()).toBeWithin(running.epoch_start_date, running.epoch_end_date)
  expect(before.epoch_end_date).toBe(running.epoch_start_date)
  expect(before.epoch_id).toBe(running.epoch_id - 1)
})

test('a wallet has a point for every USDC it traded, in its week, and a rank among all', async () => {
  using desk = openDesk()
  const [busy, idle] = [await desk.trader('busy'), await desk.trader('idle')]
  await busy.order({ order_type: 'MARKET', order_price: null })
  const [fill] = (await busy.get('/v1/trades')).data.rows
  const points = Math.floor(fill.executed_price * fill.executed_quantity)
  expect(points).toBeGreaterThan(0)
  const now = (await pointsOf(desk, busy.address)).data
  expect(now).toMatchObject({
    total_points: points,
    global_rank: 1,
    current_epoch_points: points,
    current_epoch_rank: 1,
    rows: [{ points, rank: 1 }],
  })
  expect((await pointsOf(desk, idle.address.toUpperCase().replace('0X', '0x'))).data).toMatchObject(
    {
      total_points: 0,
      global_rank: 2,
      rows: [],
    },
  )
  desk.sleep(WEEK_MS)
  expect((await pointsOf(desk, busy.address)).data).toMatchObject({
    total_points: points,
    current_epoch_points: 0,
    rows: now.rows,
  })
})

test('a wallet without an account is not found, and what is no address is refused', async () => {
  using desk = openDesk()
  expect((await pointsOf(desk, `0x${'1f'.repeat(20)}`)).code).toBe(-1607)
  expect((await pointsOf(desk, '0x12')).code).toBe(-1005)
  expect((await desk.send(publicGet('/v1/client/points'))).code).toBe(-1005)
})
