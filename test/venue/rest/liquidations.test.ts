import { describe, expect, test } from 'bun:test'
import { BTC, ETH } from '../past/small-feed.ts'
import { type Desk, openDesk, type Trader } from '../trading-desk.ts'
import { publicGet } from '../trading-wallet.ts'
import { brokenOf, holdingOf, passed } from './money/consents.ts'

// biome-ignore lint/suspicious/noExplicitAny: a row's shape is what is being tested
type Part = Record<string, any>
type Told = Record<string, unknown> & { readonly positions_by_perp: readonly Part[] }

const PUBLIC = '/v1/public/'
const told = async (desk: Desk, path: string) =>
  (await desk.send(publicGet(`${PUBLIC}${path}`))).data
const sum = (rows: readonly Part[], name: string) =>
  rows.reduce((total, row) => total + (row[name] ?? 0), 0)
const own = async (trader: Trader): Promise<Told[]> =>
  (await trader.get('/v1/liquidations')).data.rows
const closed = async (trader: Trader) =>
  (await trader.get('/v1/position_history?limit=50')).data.rows

/** Gives one trader so many BTC at 60,000, and the other the opposite. */
async function face(buyer: Trader, seller: Trader, quantity: number) {
  const order = { order_price: 60_000, order_quantity: quantity }
  await seller.order({ ...order, side: 'SELL' })
  await buyer.order(order)
}

/** A desk where one account is taken over by the fund and another is ended against the other side. */
async function openCrash() {
  const desk = openDesk({ faucet: 1_000_000_000_000n })
  const [small, big, other] = [
    await desk.trader('small'),
    await desk.trader('big'),
    await desk.trader('other'),
  ]
  const { practice } = desk.venue()
  practice.fund(other.accountId, 9_000_000_000_000n)
  practice.fund(big.accountId, 130_000_000_000n)
  const { engine } = desk.exchange().simulation()
  const keep = engine.world.exchange.byKey.get(small.accountId)
  if (!keep) throw new RangeError('no account')
  engine.submit('deposit', { account: keep.number, amount: -989_850_000_000 }, desk.nowMs())
  await face(small, other, 1.4)
  for (const quantity of [60, 60, 40]) await face(big, other, quantity)
  const fund = await told(desk, 'insurancefund')
  // The mark follows the index as far as 3 % above it: 53,000, where little is left of one and nothing of the other.
  desk.move(BTC, 51_456.3)
  desk.venue().advance(desk.nowMs())
  return { desk, small, big, other, fund }
}

/** A desk whose trader has an isolated position and a stop, and is liquidated by the operator after the mark has moved. */
async function openTakenOver(look: (trader: Trader) => Promise<unknown>) {
  const desk = openDesk()
  const trader = await desk.trader('a')
  const modes = { symbol: BTC, default_margin_mode: 'ISOLATED' }
  await trader.post('/v1/client/margin_mode', modes)
  await trader.order({ order_type: 'MARKET', order_price: null })
  await trader.order({ symbol: ETH, order_type: 'MARKET', order_price: null })
  for (const [symbol, trigger_price] of [[BTC, 61_000] as const, [ETH, 3100] as const]) {
    const stop = { symbol, algo_type: 'STOP', type: 'MARKET', side: 'BUY', quantity: 0.1 }
    await trader.post('/v1/algo/order', { ...stop, trigger_price })
  }
  desk.move(BTC, 60_100)
  await look(trader)
  const { engine } = desk.exchange().simulation()
  const owner = engine.world.exchange.byKey.get(trader.accountId)
  engine.submit('liquidate', { account: owner?.number ?? -1 }, desk.nowMs())
  desk.exchange().commit()
  return { desk, trader }
}

describe('a liquidation that the operator asks for', () => {
  test('is of what the mark of then makes of it, whoever has looked before, and after a restart', async () => {
    const [unread, read] = [
      await openTakenOver(async () => undefined),
      await openTakenOver((trader) => trader.get('/v1/positions')),
    ]
    using one = unread.desk
    using two = read.desk
    const rows = await own(unread.trader)
    expect(rows).toHaveLength(2)
    expect(await own(read.trader)).toEqual(rows)
    expect(rows.find(({ positions_by_perp: [part] }) => part?.['symbol'] === BTC)).toMatchObject({
      position_notional: 6010,
    })
    for (const desk of [one, two]) desk.restart()
    expect(await own(unread.trader)).toEqual(rows)
  })

  test('takes every stop with it', async () => {
    const { desk, trader } = await openTakenOver(async () => undefined)
    using _ = desk
    expect((await trader.get('/v1/algo/orders?status=INCOMPLETE')).data.rows).toEqual([])
    expect((await trader.get('/v1/algo/orders')).data.rows).toHaveLength(2)
    expect(brokenOf(desk)).toEqual([])
  })
})

describe('a liquidation', () => {
  test('is the same to its owner, to the public, to the fund and in the history of positions', async () => {
    const { desk, small, big, other, fund } = await openCrash()
    using _ = desk
    const owners = [await own(small), await own(big)].flat()
    expect(owners).toHaveLength(2)
    const underway = (await told(desk, 'liquidation')).rows as Told[]
    for (const row of owners) {
      const { liquidation_id, timestamp } = row
      const open = underway.find((each) => each['liquidation_id'] === liquidation_id)
      expect(open).toMatchObject({ timestamp })
      expect(open?.positions_by_perp).toEqual(
        row.positions_by_perp.map(({ symbol, position_qty, liquidator_fee }) => ({
          ...{ symbol, position_qty, liquidator_fee },
        })),
      )
    }
    const types = underway.filter(({ timestamp }) => timestamp === desk.nowMs())
    expect(types.map(({ type }) => type).sort()).toEqual(['adl', 'liquidated'])

    desk.sleep(91_000)
    expect((await told(desk, 'liquidation')).rows).toEqual([])
    const history = (await told(desk, `liquidated_positions?symbol=${BTC}`)).rows as Told[]
    for (const row of owners) {
      const over = history.find((each) => each['liquidation_id'] === row['liquidation_id'])
      expect(over).toMatchObject({
        timestamp: row['timestamp'],
        transfer_amount_to_insurance_fund: row['transfer_amount_to_insurance_fund'],
        positions_by_perp: row.positions_by_perp.map(
          ({ total_position: _held, mark_price: _mark, ...part }) => part,
        ),
      })
    }

    const after = await told(desk, 'insurancefund')
    const transferred = sum(owners as unknown as Part[], 'transfer_amount_to_insurance_fund')
    expect(Number(after.balance) - Number(fund.balance)).toBeCloseTo(transferred, 4)
    const parts = owners.flatMap((row) => row.positions_by_perp)
    const [taken] = after.rows.filter(({ symbol }: { symbol: string }) => symbol === BTC)
    const adl = (await closed(other)).filter(({ type }: { type: string }) => type === 'adl')
    const [left] = (await other.get('/v1/positions')).data.rows
    expect(taken.position_qty + (left?.position_qty ?? 0)).toBeCloseTo(0, 6)
    expect(sum(parts, 'position_qty')).toBeCloseTo(161.4, 6)
    expect(taken.fee_24_h).toBeCloseTo(sum(parts, 'abs_insurance_fund_fee'), 4)
    const gained = Number(after.total_account_value) - Number(fund.total_account_value)
    expect(after.total_pnl_24_h).toBeCloseTo(gained, 3)

    for (const [trader, [row]] of [
      [small, await own(small)],
      [big, await own(big)],
    ] as const) {
      const [position] = await closed(trader)
      expect(position).toMatchObject({
        type: 'liquidated',
        liquidation_id: row?.['liquidation_id'],
        close_timestamp: row?.['timestamp'],
      })
      const pieces = row?.positions_by_perp ?? []
      expect(position.closed_position_qty).toBeCloseTo(sum(pieces, 'position_qty'), 6)
      expect(position.liquidator_fee).toBeCloseTo(sum(pieces, 'abs_liquidator_fee'), 4)
      expect(position.insurance_fund_fee).toBeCloseTo(sum(pieces, 'abs_insurance_fund_fee'), 4)
      expect((await trader.get('/v1/positions')).data.rows).toEqual([])
    }
    expect((await holdingOf(big)).holding).toBe(0)
    expect(adl.length + (left ? 1 : 0)).toBeGreaterThan(0)
    expect(brokenOf(desk)).toEqual([])
  })

  test('is part of what a position won and paid in a day', async () => {
    const { desk, big, other } = await openCrash()
    using _ = desk
    const [taken] = (await own(big))[0]?.positions_by_perp ?? []
    expect(taken?.['position_qty']).toBeGreaterThan(0)
    const { rows, total_pnl_24_h } = (await other.get('/v1/positions')).data
    const trades = (await other.get('/v1/trades')).data.rows
    const [row] = rows
    const sold = sum(trades, 'executed_quantity')
    expect(row.position_qty).toBeGreaterThan(-sold)
    const won = row.unsettled_pnl + row.fee_24_h
    expect(row.pnl_24_h).toBeCloseTo(won, 3)
    expect(total_pnl_24_h).toBeCloseTo(won, 3)
  })

  test('that ends another’s position says so, with the number of that liquidation', async () => {
    const { desk, big, other } = await openCrash()
    using _ = desk
    const [row] = await own(big)
    const inbox = (await other.get('/v1/notification/inbox/notifications')).data.rows
    const [told] = inbox.filter(
      ({ message_type }: { message_type: string }) => message_type === 'AUTO_DELEVERAGED',
    )
    expect(told.content_raw.liquidation_id).toBe(row?.['liquidation_id'])
    expect(await own(other)).toEqual([])
    expect(passed(desk, 1000)).toEqual([])
  })

  test('is found by its number, by its market and by its time', async () => {
    const { desk, small } = await openCrash()
    using _ = desk
    const [row] = await own(small)
    const count = async (query: string) =>
      (await small.get(`/v1/liquidations${query}`)).data.meta.total
    expect(await count(`?liquidation_id=${row?.['liquidation_id']}`)).toBe(1)
    expect(await count('?liquidation_id=1')).toBe(0)
    expect(await count(`?symbol=${BTC}`)).toBe(1)
    expect(await count('?symbol=PERP_ETH_USDC')).toBe(0)
    expect(await count(`?start_t=${desk.nowMs() + 1}`)).toBe(0)
  })
})
