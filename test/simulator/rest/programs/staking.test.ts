import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader, type VenueFixture } from '../../fixture.ts'
import { publicGet } from '../../trading-wallet.ts'

const WEEK_MS = 7 * 86_400_000
const STRANGER = `0x${'1f'.repeat(20)}`

const read = async (fixture: VenueFixture, path: string) =>
  (await fixture.send(publicGet(`/v1/staking/${path}`))).data
const buy = (trader: Trader) => trader.order({ order_type: 'MARKET', order_price: null })
const balanceOf = (fixture: VenueFixture, { address }: Trader) =>
  read(fixture, `balance?address=${address}`)
const nextWeek = (fixture: VenueFixture) => fixture.sleep(WEEK_MS)

/** Half of the micro-units of an amount. */
const cut = (amount: number, share: number) => Math.floor(Math.round(amount * 1e6) * share) / 1e6

describe('stakes', () => {
  test('are earned by trading, and belong to the wallet that traded', async () => {
    using fixture = openVenueFixture()
    const [busy, idle] = [await fixture.trader('busy'), await fixture.trader('idle')]
    const before = await read(fixture, 'overview')
    await buy(busy)
    const points = (await fixture.send(publicGet(`/v1/client/points?address=${busy.address}`))).data
    const balance = await balanceOf(fixture, busy)
    expect(balance).toEqual({
      total_staked_balance: points.total_points / 1000,
      total_staked_order: 0,
      total_staked_esorder: points.total_points / 1000,
    })
    expect((await balanceOf(fixture, idle)).total_staked_balance).toBe(0)
    const after = await read(fixture, 'overview')
    expect(after.total_stake).toBeGreaterThan(before.total_stake)
    expect(after.rows[0].usd_reward).toBeGreaterThan(before.rows[0].usd_reward)
    expect(after.rows.slice(1)).toEqual(before.rows.slice(1))
    expect(await read(fixture, 'overview')).toEqual(after)
  })

  test('are split when their week is over: a part vests, a part is unstaked, nothing is lost', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('one')
    const { address } = trader
    const vesting = async (isVesting: boolean) =>
      (await read(fixture, `esorder/vesting_list?address=${address}&is_vesting=${isVesting}`)).rows
    await buy(trader)
    const earned = (await balanceOf(fixture, trader)).total_staked_esorder
    expect(await vesting(true)).toEqual([])
    expect(await read(fixture, `unstake_details?address=${address}`)).toEqual({
      total_unstake_order: 0,
      unstaked_end_time: 0,
    })
    nextWeek(fixture)
    const [request] = await vesting(true)
    const unstaking = await read(fixture, `unstake_details?address=${address}`)
    const kept = (await balanceOf(fixture, trader)).total_staked_esorder
    expect(request.total_vest_amount).toBe(cut(earned, 0.4))
    expect(unstaking.total_unstake_order).toBe(cut(earned, 0.2))
    expect(kept + request.total_vest_amount + unstaking.total_unstake_order).toBeCloseTo(earned, 6)
    expect(request.vest_end_time - request.vest_start_time).toBe(90 * 86_400_000)
    expect(unstaking.unstaked_end_time).toBeGreaterThan(fixture.nowMs())
    nextWeek(fixture)
    expect((await read(fixture, `unstake_details?address=${address}`)).total_unstake_order).toBe(0)
    fixture.warp(90 * 86_400_000)
    expect(await vesting(true)).toEqual([])
    expect(await vesting(false)).toMatchObject([{ ...request, status: 'claimed' }])
    expect(await balanceOf(fixture, trader)).toMatchObject({
      total_staked_order: request.total_vest_amount,
    })
  })

  test('of a wallet that never came here are none', async () => {
    using fixture = openVenueFixture()
    expect(await read(fixture, `balance?address=${STRANGER}`)).toMatchObject({
      total_staked_balance: 0,
    })
    expect(await read(fixture, `valor2/redeem?address=${STRANGER}`)).toEqual({
      redeeming_valor_amount: 0,
      redeeming_valor_list: [],
      pending_esorder: 0,
      available_esorder: 0,
    })
    expect(await read(fixture, `valor/redeem?address=${STRANGER}`)).toEqual({
      redeeming_valor_amount: 0,
      chain_details: [],
    })
  })
})

describe('the pools', () => {
  test('take their part of the fees of a week, and buy with it when it is over', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('one')
    const inflow = async (pool: string) =>
      (await read(fixture, `${pool}/pool_info`)).est_treasury_inflow
    const before = [await inflow('valor'), await inflow('valor2')]
    expect(await read(fixture, 'valor2/pool_info')).toMatchObject({
      revenue_rate: 0.4,
      current_batch_id: 12,
    })
    await buy(trader)
    const [{ fee }] = (await trader.get('/v1/trades')).data.rows
    expect((await inflow('valor')) - before[0]).toBeCloseTo(cut(fee, 0.2), 5)
    expect((await inflow('valor2')) - before[1]).toBeCloseTo(cut(fee, 0.4), 5)
    const last = (await read(fixture, 'valor2/revenue_buyback')).at(-1)
    expect(last.batch_id).toBe(11)
    nextWeek(fixture)
    const bought = (await read(fixture, 'valor2/revenue_buyback')).at(-1)
    expect(bought.batch_id).toBe(12)
    expect(bought.usdc_revenue).toBeGreaterThan(before[1] + cut(fee, 0.4) - 0.00001)
    expect(bought.esorder_amount).toBeGreaterThan(bought.usdc_revenue)
    const after = await read(fixture, 'valor2/pool_info')
    expect(after.current_batch_id).toBe(13)
    expect(after.est_treasury_inflow).toBeLessThan(bought.usdc_revenue)
  })

  // Slow: weeks of a venue are simulated.
  test('pay what is redeemed, and no more than they have', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('one')
    const redeem = (pool: string) => read(fixture, `${pool}/redeem?address=${trader.address}`)
    await buy(trader)
    nextWeek(fixture)
    const asked = await redeem('valor2')
    expect(asked.redeeming_valor_amount).toBeGreaterThan(0)
    expect(asked).toMatchObject({
      redeeming_valor_list: [{ batch_id: 13, redeem_amount: asked.redeeming_valor_amount }],
      pending_esorder: 0,
      available_esorder: 0,
    })
    const { treasury_pool_value: paid, ...held } = await read(fixture, 'valor2/pool_info')
    const { esorder_amount: bought } = (await read(fixture, 'valor2/revenue_buyback')).at(-1)
    expect(paid).toBe(bought)
    expect(held.valor_price_esorder * asked.redeeming_valor_amount).toBeWithin(0, paid)
    nextWeek(fixture)
    const pending = await redeem('valor2')
    const left = await read(fixture, 'valor2/pool_info')
    const redeemed = left.total_redeemed_amount - held.total_redeemed_amount
    expect(pending.pending_esorder / paid).toBeCloseTo(asked.redeeming_valor_amount / redeemed, 4)
    expect(pending.pending_esorder).toBeWithin(0.000001, paid)
    const [chain] = (await redeem('valor')).chain_details
    expect(chain).toMatchObject({ chain_id: 42161, available_usdc: 0 })
    expect(chain.pending_usdc).toBeGreaterThan(0)
    nextWeek(fixture)
    expect((await redeem('valor2')).available_esorder).toBe(pending.pending_esorder)
  })

  test('settle batches on the date in their info', async () => {
    using fixture = openVenueFixture()
    for (const pool of ['valor', 'valor2']) {
      const { rows } = await read(fixture, `${pool}/batch_info`)
      expect(rows.map((row: { batch_id: number }) => row.batch_id)).toEqual(
        Array.from({ length: 12 }, (_, at) => at + 1),
      )
      const running = rows.at(-1)
      expect(fixture.nowMs()).toBeWithin(running.batch_start_time, running.batch_end_time)
      const { next_settlement_date: date } = await read(fixture, `${pool}/pool_info`)
      expect(Date.parse(date)).toBe(running.batch_end_time)
    }
  })
})

test.each([
  'balance',
  'balance?address=0x12',
  'unstake_details',
  'valor/redeem',
  'valor2/redeem',
  `esorder/vesting_list?address=${STRANGER}`,
  `esorder/vesting_list?address=${STRANGER}&is_vesting=maybe`,
])('%s is refused', async (path) => {
  using fixture = openVenueFixture()
  expect((await fixture.send(publicGet(`/v1/staking/${path}`))).code).toBe(-1005)
})
