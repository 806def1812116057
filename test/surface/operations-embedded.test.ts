import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Opened, openAccount } from '../../src/admin/tour/account.ts'
import { createClient } from '../../src/client/client.ts'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'
import { differences, emptyLists } from './differences.ts'
import { payloadOf } from './payload.ts'
import { OPERATION_ROWS, type OperationRow, sampleOf } from './recorded-venue.ts'

const OPERATOR_KEY = 'operator-key-of-thirty-two-letters'
const SYMBOL = 'PERP_BTC_USDC'
/** A virtual venue begins on this day. */
const DAY = '2026-01-01'
const MINUTE_MS = 60_000

/** Where an answer may differ from the recorded one in its fields or their types, and why it may. */
// biome-ignore format: one difference a line
const LAX: Readonly<Record<string, string>> = {
  'builder.getOrderTag .pair_overrides.PERP_ETH_USDC is too many': 'its markets are the tag’s own',
  'builder.listOrderTags [].pair_overrides.PERP_BTC_USDC is missing': 'its markets are the tag’s own',
  'builder.listOrderTags [].pair_overrides.PERP_ETH_USDC is too many': 'its markets are the tag’s own',
  'builder.stats .rows[].connected_user is number, not string': 'the wire’s document says integer, and quotes its example',
  'campaigns.list .rows[].register_time is missing': 'only where an address is asked for, which the catalogue never does',
  'platform.tokens .rows[].discount_factor is number, not null': 'null for USDC alone',
  'vault.info .rows[].est_main_share_price is too many': 'documented, and missing in the example',
  'vault.providerTransactionHistory .rows[].txn_hash_claim is string, not null': 'null until it is claimed',
}

/** Lists that may be empty for a new user, in a venue half an hour old: nothing is over yet, nobody failed. */
const EMPTY: readonly string[] = [
  'charts.config.d.orderCustomFields',
  'charts.config.d.orderHistoryCustomFields',
  'charts.config.d.positionCustomFields',
  'liquidations.history.rows',
  'liquidations.history.rows[].positions_by_perp',
  'liquidations.open.rows',
  'staking.valorRedeem.chain_details',
  'staking.valorRedeemV2.redeeming_valor_list',
  'staking.vestingList.rows',
  'vault.openOrders.rows',
  'vault.openOrders.rows[].child_orders',
  'vault.orderHistory.rows[].child_orders',
  'vault.liquidatorHistory.rows',
  // Who runs a vault is no investor of it.
  'vault.lpInfo.rows',
  'vault.lpPerformanceChart.rows',
  'vault.lpTransactionHistory.rows',
  'vault.lpFeesHistory.rows',
]

/** What a user’s trade shows in; of the others it is no part, or not before a week is over. */
// biome-ignore format: a group a line
const TOLD: readonly string[] = [
  'markets.list', 'markets.get', 'markets.openInterest', 'markets.trades',
  'platform.tvl', 'platform.volume', 'charts.history', 'charts.klineHistory', 'rewards.rankings', 'rewards.userMerits',
  'campaigns.stats', 'campaigns.ranking', 'campaigns.user', 'campaigns.statsDetails', 'campaigns.check',
  'staking.overview', 'staking.poolInfo', 'staking.balance', 'staking.valorPoolInfo',
  'builder.dailyRevenue', 'builder.marketVolume',
]

/** What a trade at the last price would not show in. */
const MAY_TELL: readonly string[] = ['markets.priceChanges', 'markets.historyCharts']

describe.each([...TARGET_KINDS])('the catalogue of the embedded venue, %s', (kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-walk-'))
  let target: Target
  let user: Opened
  let vault: Record<string, string>
  const answers = { before: new Map<string, unknown>(), after: new Map<string, unknown>() }

  const client = () =>
    createClient({
      baseUrl: 'http://localhost',
      nowMs: Date.now,
      transport: async (request) => {
        const { method, headers } = request
        const { pathname, search } = new URL(request.url)
        const body = method === 'GET' ? null : await request.text()
        return target.fetch(pathname + search, { method, headers, body })
      },
    })
  const account = () =>
    openAccount({ step: (_, run) => run() }, client(), {
      clock: { nowMs: Date.now },
      random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
    })
  const open = (settings = {}) =>
    openTarget(kind, {
      DATA_DIR: join(folder, 'data'),
      OPS_LISTEN: '127.0.0.1:0',
      VENUE_CLOCK: 'virtual',
      POINTS: 'on',
      OPERATOR_KEY,
      LIMIT_ADMIN: 'off',
      ...settings,
    })
  const act = async (name: string) => {
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
    const { status } = await target.ops(`/console/act/${name}`, { method: 'POST', headers })
    expect(status).toBe(200)
  }

  function queryOf({ id, required, optional }: OperationRow): string {
    const { address } = user.wallet
    const values: Readonly<Record<string, string>> = {
      ...{ symbol: SYMBOL, address, account_id: user.accountId, key: user.key },
      ...{ start_date: DAY, end_date: DAY, time_interval: '1h', group: 'perp' },
      resolution: id === 'charts.klineHistory' ? '1h' : '60',
      ...{ from: '1767222000', to: '1767229200', referral_code: 'NOBODY' },
      ...{ stage: '2', period: 'this_week', campaign_id: '1', is_vesting: 'true' },
      ...{ vault_id: vault['vault_id'] ?? '', wallet_address: vault['sp_address'] ?? '' },
      ...{ chain_id: '42161', time_range: '7d', type: id.startsWith('vault.') ? 'PNL' : 'volume' },
      ...{ lower_boundary: '100', enum_id: 'GRID_PRO' },
    }
    const names = [...required, ...optional.filter((name) => name === 'account_id')]
    const named = names.map((name) => [name, values[name] ?? sampleOf(name)])
    return String(new URLSearchParams(Object.fromEntries(named)))
  }
  async function ask(row: OperationRow) {
    const response = await target.fetch(`/api/prep/op/${row.id}?${queryOf(row)}`)
    return { status: response.status, body: Object(await response.json()) }
  }
  /** Every read, none of it kept from before. */
  async function walk(into: Map<string, unknown>) {
    await act('purge-cache')
    for (const row of OPERATION_ROWS) {
      const { status, body } = await ask(row)
      expect([row.id, status]).toEqual([row.id, 200])
      into.set(row.id, body)
    }
  }

  beforeAll(async () => {
    target = await open()
    const operator = await account()
    await target.stop()
    target = await open({
      AFFILIATE_ACCOUNT_ID: operator.accountId,
      AFFILIATE_TRADING_KEY: operator.secret.toHex(),
    })
    await act(`advance-clock?ms=${30 * MINUTE_MS}`)
    user = await account()
    vault = Object(await (await target.fetch('/api/prep/op/vault.info')).json()).rows[0]
    await walk(answers.before)
    const body = { symbol: SYMBOL, side: 'BUY', order_type: 'MARKET', order_quantity: 0.1 }
    const call = { method: 'POST', path: '/v1/order', body: JSON.stringify(body) } as const
    await client().relay(user, call)
    await walk(answers.after)
  }, 120_000)
  afterAll(async () => {
    await target.stop()
    rmSync(folder, { recursive: true })
  })

  test('has 88 reads', () => {
    expect(answers.after.size).toBe(88)
  })

  test('has the fields and types of the wire, but for what is listed', () => {
    const found = OPERATION_ROWS.flatMap((row) =>
      differences(answers.after.get(row.id), payloadOf(row)).map((line) => `${row.id} ${line}`),
    )
    expect([...found].sort()).toEqual(Object.keys(LAX).sort())
  })

  test('has rows everywhere, but for what is listed', () => {
    const found = OPERATION_ROWS.flatMap(({ id }) => emptyLists(answers.after.get(id), id))
    expect(found.filter((at) => !EMPTY.includes(at))).toEqual([])
  })

  test('tells of a trade wherever it should, and nowhere else', () => {
    const changed = OPERATION_ROWS.map(({ id }) => id).filter(
      (id) => JSON.stringify(answers.before.get(id)) !== JSON.stringify(answers.after.get(id)),
    )
    expect(changed.filter((id) => !MAY_TELL.includes(id))).toEqual([...TOLD])
  })

  test('has the points that the points route tells', async () => {
    const response = await target.fetch(`/api/prep/points?address=${user.wallet.address}`)
    expect(await response.json()).toEqual({
      enabled: true,
      merits: answers.after.get('rewards.userMerits'),
      epochs: answers.after.get('rewards.epochs'),
    })
  })

  test('tells the same to whoever asks again', async () => {
    const again = new Map<string, unknown>()
    await walk(again)
    expect([...again]).toEqual([...answers.after])
  }, 60_000)
})
