import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader, type VenueFixture } from '../fixture.ts'
import { BTC, ETH } from '../past/small-feed.ts'
import { publicGet } from '../trading-wallet.ts'
import { brokenOf, holdingOf, passed } from './money/consents.ts'

// biome-ignore lint/suspicious/noExplicitAny: a row's shape is what is being tested
type Part = Record<string, any>
type Liquidation = Record<string, unknown> & { readonly positions_by_perp: readonly Part[] }

const PUBLIC = '/v1/public/'
const read = async (fixture: VenueFixture, path: string) =>
  (await fixture.send(publicGet(`${PUBLIC}${path}`))).data
const sum = (rows: readonly Part[], name: string) =>
  rows.reduce((total, row) => total + (row[name] ?? 0), 0)
const own = async (trader: Trader): Promise<Liquidation[]> =>
  (await trader.get('/v1/liquidations')).data.rows
const closed = async (trader: Trader) =>
  (await trader.get('/v1/position_history?limit=50')).data.rows

/** Gives one trader so many BTC at 60,000, and the other the opposite. */
async function face(buyer: Trader, seller: Trader, quantity: number) {
  const order = { order_price: 60_000, order_quantity: quantity }
  await seller.order({ ...order, side: 'SELL' })
  await buyer.order(order)
}

/** A venue in which the insurance fund takes one account over and another is auto-deleveraged. */
async function openCrash() {
  const fixture = openVenueFixture({ faucet: 1_000_000_000_000n })
  const [small, big, other] = [
    await fixture.trader('small'),
    await fixture.trader('big'),
    await fixture.trader('other'),
  ]
  const { practice } = fixture.venue()
  practice.fund(other.accountId, 9_000_000_000_000n)
  practice.fund(big.accountId, 130_000_000_000n)
  const { engine } = fixture.exchange().simulation()
  const keep = engine.world.exchange.byKey.get(small.accountId)
  if (!keep) throw new RangeError('no account')
  engine.submit('deposit', { account: keep.number, amount: -989_850_000_000 }, fixture.nowMs())
  await face(small, other, 1.4)
  for (const quantity of [60, 60, 40]) await face(big, other, quantity)
  const fund = await read(fixture, 'insurancefund')
  // The mark follows the index as far as 3 % above it: 53,000, where little is left of one and nothing of the other.
  fixture.move(BTC, 51_456.3)
  fixture.advance()
  return { fixture, small, big, other, fund }
}

/** A venue whose trader has an isolated position and a stop, and is liquidated by the operator after a move of the mark. */
async function openTakenOver(look: (trader: Trader) => Promise<unknown>) {
  const fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  const modes = { symbol: BTC, default_margin_mode: 'ISOLATED' }
  await trader.post('/v1/client/margin_mode', modes)
  await trader.order({ order_type: 'MARKET', order_price: null })
  await trader.order({ symbol: ETH, order_type: 'MARKET', order_price: null })
  for (const [symbol, trigger_price] of [[BTC, 61_000] as const, [ETH, 3100] as const]) {
    const stop = { symbol, algo_type: 'STOP', type: 'MARKET', side: 'BUY', quantity: 0.1 }
    await trader.post('/v1/algo/order', { ...stop, trigger_price })
  }
  fixture.move(BTC, 60_100)
  await look(trader)
  const { engine } = fixture.exchange().simulation()
  const owner = engine.world.exchange.byKey.get(trader.accountId)
  engine.submit('liquidate', { account: owner?.number ?? -1 }, fixture.nowMs())
  fixture.exchange().commit()
  return { fixture, trader }
}

describe('a liquidation that the operator asks for', () => {
  test('is of what the mark of then makes of it, whoever has looked before, and after a restart', async () => {
    const [unread, read] = [
      await openTakenOver(async () => undefined),
      await openTakenOver((trader) => trader.get('/v1/positions')),
    ]
    using one = unread.fixture
    using two = read.fixture
    const rows = await own(unread.trader)
    expect(rows).toHaveLength(2)
    expect(await own(read.trader)).toEqual(rows)
    expect(rows.find(({ positions_by_perp: [part] }) => part?.['symbol'] === BTC)).toMatchObject({
      position_notional: 6010,
    })
    for (const fixture of [one, two]) fixture.restart()
    expect(await own(unread.trader)).toEqual(rows)
  })

  test('takes every stop with it', async () => {
    const { fixture, trader } = await openTakenOver(async () => undefined)
    using _ = fixture
    expect((await trader.get('/v1/algo/orders?status=INCOMPLETE')).data.rows).toEqual([])
    expect((await trader.get('/v1/algo/orders')).data.rows).toHaveLength(2)
    expect(brokenOf(fixture)).toEqual([])
  })
})

describe('a liquidation', () => {
  test('is the same to its owner, to the public, to the fund and in the history of positions', async () => {
    const { fixture, small, big, other, fund } = await openCrash()
    using _ = fixture
    const owners = [await own(small), await own(big)].flat()
    expect(owners).toHaveLength(2)
    const underway = (await read(fixture, 'liquidation')).rows as Liquidation[]
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
    const types = underway.filter(({ timestamp }) => timestamp === fixture.nowMs())
    expect(types.map(({ type }) => type).sort()).toEqual(['adl', 'liquidated'])

    fixture.sleep(91_000)
    expect((await read(fixture, 'liquidation')).rows).toEqual([])
    const history = (await read(fixture, `liquidated_positions?symbol=${BTC}`))
      .rows as Liquidation[]
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

    const after = await read(fixture, 'insurancefund')
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
    expect(brokenOf(fixture)).toEqual([])
  })

  test('is part of what a position won and paid in a day', async () => {
    const { fixture, big, other } = await openCrash()
    using _ = fixture
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
    const { fixture, big, other } = await openCrash()
    using _ = fixture
    const [row] = await own(big)
    const inbox = (await other.get('/v1/notification/inbox/notifications')).data.rows
    const [read] = inbox.filter(
      ({ message_type }: { message_type: string }) => message_type === 'AUTO_DELEVERAGED',
    )
    expect(read.content_raw.liquidation_id).toBe(row?.['liquidation_id'])
    expect(await own(other)).toEqual([])
    expect(passed(fixture, 1000)).toEqual([])
  })

  test('is found by its number, by its market and by its time', async () => {
    const { fixture, small } = await openCrash()
    using _ = fixture
    const [row] = await own(small)
    const count = async (query: string) =>
      (await small.get(`/v1/liquidations${query}`)).data.meta.total
    expect(await count(`?liquidation_id=${row?.['liquidation_id']}`)).toBe(1)
    expect(await count('?liquidation_id=1')).toBe(0)
    expect(await count(`?symbol=${BTC}`)).toBe(1)
    expect(await count('?symbol=PERP_ETH_USDC')).toBe(0)
    expect(await count(`?start_t=${fixture.nowMs() + 1}`)).toBe(0)
  })
})
