import { describe, expect, test } from 'bun:test'
import { OPERATIONS } from '../../../../src/contract/operations.ts'
import { worldHash } from '../../../../src/simulator/engine/check.ts'
import { shareHolders, vaultBooks } from '../../../../src/simulator/vaults/book.ts'
import { checkVaults } from '../../../../src/simulator/vaults/requests.ts'
import SHAPES from '../../../vectors/venue-vault-shapes.json'
import { differences } from '../../feed/calls.ts'
import { codeOf, DAY_MS, emptyLists, openVaults, WORLD_START_MS } from './fixture.ts'

const BASE = '/v1/public/strategy_vault'
const PATHS = Object.keys(SHAPES)
const STRANGER = `0x${'9'.repeat(40)}`

/** What the document's own examples answer null for, and what clients read beyond it. */
const LAX = [
  /\.(est_assign_period_time|unlock_time|est_claim_time) is null/,
  /\.(txn_hash_claim|transaction_nonce) is null/,
  /\.(shares_change|amount_change) is null/,
  /\.est_main_share_price is too many/,
]

const fixture = openVaults()
const { get } = fixture

type Asked = Record<string, string>

const [making, following] = get(`${BASE}/vault/info`).rows
const investors = (at: number) => vaultBooks(fixture.world()).map(shareHolders)[at] ?? []
/** One of the first vault alone. */
const investor = investors(0).find((wallet) => !investors(1).includes(wallet)) ?? ''
const provider: string = making.sp_address

function queryOf(path: string): Asked {
  return {
    vault_id: making.vault_id,
    wallet_address: path.includes('/sp/') || path.includes('/fund/') ? provider : investor,
    chain_id: path.endsWith('claim_info') ? '42161' : '',
    type: path.endsWith('_chart') ? 'TVL' : '',
    time_range: '30d',
    size: '500',
  }
}

/** No vault has orders with children. */
const EMPTY_BY_NATURE = /child_orders$/

describe('the operations of vaults', () => {
  test('are those of the catalogue, each with the fields of its document and rows in it', () => {
    const catalogued = Object.values(OPERATIONS).filter(({ group }) => group === 'vault')
    expect(catalogued.map(({ path }) => path).toSorted()).toEqual(PATHS.toSorted())
  })

  test.each(Object.entries(SHAPES))('%s', (path, shape) => {
    const answer = get(path, queryOf(path))
    const found = differences(answer, shape)
    expect(found.filter((line) => !LAX.some((lax) => lax.test(line)))).toEqual([])
    expect(emptyLists(answer).filter((name) => !EMPTY_BY_NATURE.test(name))).toEqual([])
  })

  test('refuse an unknown vault, and a query without one', () => {
    const free = ['vault/info', 'vault/overall_info', 'user/overall_info', 'lp/info']
    const required = PATHS.filter(
      (path) => path.startsWith(BASE) && !free.some((name) => path === `${BASE}/${name}`),
    )
    expect(required).toHaveLength(19)
    for (const path of required) {
      const unknown = { ...queryOf(path), vault_id: `0x${'1'.repeat(64)}` }
      expect(codeOf(() => get(path, unknown))).toBe(-1006)
      expect(codeOf(() => get(path, { ...unknown, vault_id: '' }))).toBe(-1005)
    }
    expect(get(`${BASE}/vault/info`, { vault_id: 'none' }).rows).toEqual([])
    expect(get(`${BASE}/vault/info`, { status: 'closed' }).rows).toEqual([])
  })

  test('refuse what is no wallet, no chart and no order', () => {
    const query = queryOf('')
    const refused: [string, Asked][] = [
      [`${BASE}/lp/info`, { wallet_address: '0x12' }],
      [`${BASE}/user/overall_info`, {}],
      [`${BASE}/vault/performance_chart`, { ...query, type: 'NAV' }],
      [`${BASE}/vault/performance_chart`, { ...query, type: 'PNL', time_range: '1y' }],
      [`${BASE}/vault/trade_history`, { ...query, sort_by: 'sideways' }],
      [`${BASE}/lp/claim_info`, query],
      [`${BASE}/fund/info`, { ...query, wallet_address: 'me' }],
    ]
    for (const [path, asked] of refused) expect(codeOf(() => get(path, asked))).toBe(-1005)
  })

  test('have nothing for a stranger’s wallet, and the same fund for every wallet', () => {
    const query = { ...queryOf(''), wallet_address: STRANGER }
    expect(get(`${BASE}/lp/info`, query).rows).toEqual([])
    expect(get(`${BASE}/lp/transaction_history`, query).rows).toEqual([])
    expect(get(`${BASE}/lp/fees_history`, query)).toMatchObject({
      meta: { total: 0 },
      data: { rows: [] },
    })
    expect(get(`${BASE}/lp/performance_chart`, { ...query, type: 'PNL' }).rows).toEqual([])
    const performance = get(`${BASE}/lp/performance`, query).rows
    expect(performance).toHaveLength(4)
    for (const row of performance) expect(row.incremental_net_pnl).toBe(0)
    expect(get(`${BASE}/sp/info`, query)).toMatchObject({ sp_nav: 0, total_performance_fees: 0 })
    expect(get(`${BASE}/sp/transaction_history`, query).rows).toEqual([])
    const [totals] = get(`${BASE}/user/overall_info`, query).rows
    expect(Object.values(totals)).toEqual(Array(9).fill(0))
    const own = { ...query, wallet_address: provider }
    expect(get(`${BASE}/fund/info`, query)).toEqual(get(`${BASE}/fund/info`, own))
  })
})

describe('the figures of vaults', () => {
  test('of positions are the sums of the orders and takeovers that led to them', () => {
    type Deal = Record<'side' | 'symbol', string> &
      Record<'order_id' | 'executed_timestamp' | 'executed_quantity', number>
    for (const { vault_id } of [making, following]) {
      const query = { vault_id, size: '500' }
      const trades: Deal[] = get(`${BASE}/vault/trade_history`, query).rows
      const orders = get(`${BASE}/vault/order_history`, query).rows
      const open = get(`${BASE}/vault/open_orders`, query).rows
      const known = new Map(orders.map((order: { order_id: number }) => [order.order_id, order]))
      for (const trade of trades)
        expect(known.get(trade.order_id)).toMatchObject({
          status: 'FILLED',
          updated_time: trade.executed_timestamp,
          side: trade.side,
        })
      expect(orders).toHaveLength(trades.length + open.length)
      const dealt = new Map<string, number>()
      const add = (symbol: string, quantity: number) =>
        dealt.set(symbol, (dealt.get(symbol) ?? 0) + quantity)
      for (const { symbol, side, executed_quantity: quantity } of trades)
        add(symbol, side === 'BUY' ? quantity : -quantity)
      for (const row of get(`${BASE}/vault/liquidator_history`, query).rows)
        for (const { symbol, position_qty } of row.positions_by_perp) add(symbol, position_qty)
      for (const { symbol, position_qty } of get(`${BASE}/vault/positions`, query).rows) {
        expect(position_qty).toBeCloseTo(dealt.get(symbol) ?? 0, 6)
        dealt.delete(symbol)
      }
      for (const left of dealt.values()) expect(left).toBeCloseTo(0, 6)
    }
  })

  test('agree with each other: stakes with the fund, periods with charts, one with all', () => {
    for (const [at, info] of [making, following].entries()) {
      const vault_id = info.vault_id
      const query = { vault_id, wallet_address: info.sp_address }
      const fund = get(`${BASE}/fund/info`, query)
      const sp = get(`${BASE}/sp/info`, query)
      const stakes = investors(at).map(
        (wallet_address) => get(`${BASE}/lp/info`, { vault_id, wallet_address }).rows[0],
      )
      const sum = stakes.reduce((total, row) => total + row.lp_nav, sp.sp_nav)
      expect(Math.abs(fund.fund_nav - sum)).toBeLessThan(0.000_05)
      const shares = stakes.reduce((total, row) => total + row.total_main_shares, 0)
      expect(shares).toBeCloseTo(info.total_main_shares, 5)
      for (const time_range of ['24h', '7d', '30d', 'all_time']) {
        const chart = (type: string) =>
          get(`${BASE}/vault/performance_chart`, { vault_id, type, time_range }).rows
        const rows = get(`${BASE}/vault/performance`, { vault_id }).rows
        const row = rows.find((each: Asked) => each['time_range'] === time_range)
        expect(chart('PNL').at(-1).value).toBe(row.incremental_net_pnl)
        expect(chart('TVL').at(-1)).toEqual({ timestamp: fixture.nowMs(), value: info.tvl })
        expect(row.max_drawdown).toBeGreaterThanOrEqual(0)
      }
      const whole = get(`${BASE}/vault/performance`, { vault_id }).rows[3]
      expect(whole.incremental_net_pnl).toBe(info.vault_lifetime_net_pnl)
    }
    const [overall] = get(`${BASE}/vault/overall_info`).rows
    expect(overall.strategy_vaults_tvl).toBeCloseTo(making.tvl + following.tvl, 5)
    expect(overall.strategy_vaults_count).toBe(2)
    expect(overall.strategy_vaults_lp_count).toBe(making.lp_counts + following.lp_counts)
  })

  test('of a wallet are those of its stakes, its requests and its fees', () => {
    const query = queryOf('')
    const [stake] = get(`${BASE}/lp/info`, query).rows
    const [totals] = get(`${BASE}/user/overall_info`, query).rows
    expect(totals.vaults_lp_tvl).toBe(stake.lp_tvl)
    const rows = get(`${BASE}/lp/performance`, query).rows
    expect(rows[3].incremental_net_pnl).toBe(totals.vaults_lp_lifetime_net_pnl)
    const chart = get(`${BASE}/lp/performance_chart`, { ...query, type: 'TVL' }).rows
    expect(chart.at(-1).value).toBe(stake.lp_tvl)
    const fees: { amount_change: number }[] = get(`${BASE}/lp/fees_history`, query).data.rows
    const paid = fees.reduce((sum, { amount_change }) => sum + amount_change, 0)
    expect(paid).toBeCloseTo(stake.total_performance_fees, 5)
    expect(paid).toBeGreaterThan(0)
    const requests: { type: string; shares_change: number | null; status: string }[] = get(
      `${BASE}/lp/transaction_history`,
      query,
    ).rows
    const held = requests
      .filter(({ status }) => status !== 'pending')
      .reduce((sum, row) => sum + (row.type === 'deposit' ? 1 : -1) * (row.shares_change ?? 0), 0)
    expect(held).toBeCloseTo(stake.total_main_shares, 5)
    const deposits = get(`${BASE}/lp/transaction_history`, { ...query, type: 'deposit' })
    expect(deposits.meta.total).toBe(requests.filter(({ type }) => type === 'deposit').length)
    const ofBuilder = { ...query, source: 'demo' }
    expect(get(`${BASE}/lp/transaction_history`, ofBuilder).rows).toEqual([])
  })

  test('of the provider are what fees brought it', () => {
    const query = { ...queryOf(''), wallet_address: provider }
    const sp = get(`${BASE}/sp/info`, query)
    const rows: { amount_change: number }[] = get(`${BASE}/sp/fees_history`, query).data.rows
    const earned = rows.reduce((sum, { amount_change }) => sum + amount_change, 0)
    expect(earned).toBeCloseTo(sp.total_performance_fees, 5)
    expect(sp.available_strategy_shares).toBeLessThan(sp.sp_total_strategy_shares)
  })

  test('change with time where they should, and only there; reading changes nothing', () => {
    const before = new Map(PATHS.map((path) => [path, get(path, queryOf(path))]))
    const hash = worldHash(fixture.world())
    for (const path of PATHS) get(path, queryOf(path))
    expect(worldHash(fixture.world())).toBe(hash)
    fixture.pass(DAY_MS)
    expect(checkVaults(fixture.world())).toEqual([])
    const same = PATHS.filter((path) => Bun.deepEquals(get(path, queryOf(path)), before.get(path)))
    // Histories without a request or a takeover of that day stay.
    const quiet =
      /(claim_info|transaction_history|trade_history|liquidator_history|period_info|pending_transactions)$/
    expect(same.filter((path) => !quiet.test(path))).toEqual([])
    const [after] = get(`${BASE}/vault/info`).rows
    for (const name of ['vault_id', 'vault_name', 'sp_address', 'vault_start_time', 'asset'])
      expect(after[name]).toEqual(making[name])
    expect(after.vault_age).toBe(making.vault_age + 1)
  })

  test('are found again after a restart, to the last row', () => {
    const before = PATHS.map((path) => get(path, queryOf(path)))
    const hash = worldHash(fixture.world())
    fixture.restart()
    expect(worldHash(fixture.world())).toBe(hash)
    expect(PATHS.map((path) => get(path, queryOf(path)))).toEqual(before)
  })
})

describe('the past of vaults', () => {
  test('comes from the seed and goes over into the world without a gap', () => {
    const again = openVaults()
    const query = { vault_id: making.vault_id, type: 'TVL', time_range: 'all_time' }
    const chart = (from: ReturnType<typeof openVaults>): { timestamp: number; value: number }[] =>
      from.get(`${BASE}/vault/performance_chart`, query).rows
    const past = (rows: ReturnType<typeof chart>) =>
      rows.filter(({ timestamp }) => timestamp <= WORLD_START_MS)
    expect(past(chart(again))).toEqual(past(chart(fixture)))
    const days = chart(again).slice(0, -1)
    for (const [at, { timestamp }] of days.entries())
      expect(timestamp).toBe((days[0]?.timestamp ?? 0) + at * DAY_MS)
    expect(openVaults(2).get(`${BASE}/vault/info`).rows[0].vault_id).not.toBe(making.vault_id)
  })
})
