import { afterAll, beforeAll, expect, test } from 'bun:test'
import { absolute, ONE } from '../../src/core/decimals.ts'
import { rowsAt } from '../../src/core/json.ts'
import { memberText, readExact } from '../../src/pages/common/exact-json.ts'
import { accountPositions } from '../../src/pages/trade/account/rows.ts'
import {
  accountSummary,
  dayPnlAtMarks,
  toAccountAtMarks,
  unreadableAnswer,
} from '../../src/pages/trade/account/totals.ts'
import { toAmount } from '../../src/perp/amounts.ts'
import { accountAtRows } from '../../src/perp/margin-account.ts'
import { dayTotals } from '../../src/perp/pnl.ts'
import { type MoneyFixture, type Opened, openMoneyFixture } from '../surface/money-fixture.ts'

let fixture: MoneyFixture
beforeAll(async () => {
  fixture = await openMoneyFixture('in process')
})
afterAll(() => fixture.stop())

/** The venue's answer for an account, as the page reads it. */
async function read(who: Opened) {
  const answer = readExact(JSON.stringify(await fixture.call(who, 'GET', '/v1/positions')))
  const account = toAccountAtMarks({ positions: answer, orders: null, info: null }, new Map())
  if (!account) throw new Error('nothing is known')
  const rows = accountPositions(answer)
  const charges = await fixture.call(who, 'GET', '/v1/funding_fee/history?size=500')
  const funding = rowsAt(charges, 'rows')
  const value = toAmount(memberText(answer, 'account_value')) ?? 0n
  return {
    answer,
    account,
    rows,
    summary: accountSummary(account),
    funding,
    value,
  }
}

test('an unreadable row of the read is named, although a message has replaced it since', async () => {
  const { answer } = await read(await fixture.account())
  const row = readExact(
    '{"symbol":"PERP_ETH_USDC","position_qty":1,"mark_price":1000,"pending_long_qty":0,"pending_short_qty":0,' +
      '"cost_position":990,"leverage":10,"mmr":0.006,"IMR_withdraw_orders":0.1}',
  )
  const positions = { ...Object(answer), rows: [row] }
  const info = null
  const orders = { rows: [] }
  const old = { ...Object(row), mmr: null }
  const changed = { ...positions, rows_as_read: [old] }
  expect(toAccountAtMarks({ positions, orders, info }, new Map())).not.toBeNull()
  expect(toAccountAtMarks({ positions: changed, orders, info }, new Map())).toBeNull()
  expect(unreadableAnswer({ positions: changed, orders, info })).toEqual({
    ...{ part: 'position', name: 'PERP_ETH_USDC' },
  })
})

/** Two figures that differ by less than a hundredth of a cent, or of a per cent. */
function expectNear(one: bigint, other: bigint): void {
  expect(absolute(one - other)).toBeLessThan(ONE / 10_000n)
}

test('collateral, free margin and margin ratio follow the rows from one read to the next, in both modes', async () => {
  const who = await fixture.account()
  const place = (fields: object) => fixture.call(who, 'POST', '/v1/order', fields)
  await fixture.call(who, 'POST', '/v1/client/margin_mode', {
    ...{ symbol: 'PERP_SOL_USDC', default_margin_mode: 'ISOLATED' },
  })
  const market = { order_type: 'MARKET', side: 'BUY' }
  await place({ ...market, symbol: 'PERP_ETH_USDC', order_quantity: 1.5 })
  await place({ ...market, symbol: 'PERP_BTC_USDC', side: 'SELL', order_quantity: 0.05 })
  await place({ ...market, symbol: 'PERP_SOL_USDC', order_quantity: 5 })
  await place({
    ...{ symbol: 'PERP_BTC_USDC', order_type: 'LIMIT', side: 'SELL', order_quantity: 0.02 },
    order_price: 61_500,
  })
  for (let minute = 0; minute < 20; minute += 1) {
    const before = await read(who)
    await fixture.advance(60_000)
    const after = await read(who)
    const moved = accountAtRows(before.account, rowsAt(after.answer, 'rows'), new Map())
    if (!moved) throw new Error('a row cannot be read')
    const figures = accountSummary(moved)
    expect(figures.collateral).not.toBe(before.summary.collateral)
    expectNear(figures.collateral, after.summary.collateral)
    expectNear(figures.free, after.summary.free)
    expectNear(figures.marginUsed, after.summary.marginUsed)
  }
})

test('PnL of 24 hours is the change of the account’s value, with fees and funding in it', async () => {
  const who = await fixture.account()
  const { value: paidIn } = await read(who)
  const market = { symbol: 'PERP_ETH_USDC', order_type: 'MARKET' }
  await fixture.call(who, 'POST', '/v1/order', { ...market, side: 'BUY', order_quantity: 2 })
  await fixture.call(who, 'POST', '/v1/order', { ...market, side: 'SELL', order_quantity: 0.5 })
  await fixture.advance(8 * 3_600_000)
  const { answer, funding, rows, value } = await read(who)
  const atMs = Number(funding[0]?.['created_time'])
  const totals = (paid: typeof funding | null) =>
    dayTotals({ fills: null, funding: paid, liquidations: null }, atMs)
  const day = dayPnlAtMarks(answer, totals(funding), rows)
  expect(day.fees).toBeLessThan(0n)
  expect(day.funding).not.toBe(0n)
  expectNear(day.net ?? 0n, value - paidIn)
  await fixture.advance(60_000)
  const after = await read(who)
  expect(after.value).not.toBe(value)
  expectNear(dayPnlAtMarks(answer, totals(funding), after.rows).net ?? 0n, after.value - paidIn)
  expect(dayPnlAtMarks(answer, totals(null), rows).net).toBeNull()
})
