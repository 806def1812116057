import { ClientFailure } from '../../src/client/client.ts'
import type { Method } from '../../src/core/ports.ts'
import { type Answers, consentBy, type MoneyRig, type Opened, stamp } from './money-rig.ts'

const BTC = 'PERP_BTC_USDC'
const ETH = 'PERP_ETH_USDC'
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const DATES = 'start_date=2020-01-01&end_date=2099-12-31'

/** A user's days on the exchange, and what every relayed call answered in them, by method and template. */
export type Story = {
  readonly user: Opened
  readonly written: ReadonlyMap<string, unknown>
  readonly before: ReadonlyMap<string, unknown>
  readonly after: ReadonlyMap<string, unknown>
  readonly read: () => Promise<Map<string, unknown>>
}

type Ids = { order: unknown; trade: unknown; algo: unknown }

type Cast = {
  readonly rig: MoneyRig
  readonly user: Opened
  readonly referrer: Opened
  readonly ids: Ids
  readonly write: (call: string, body?: object, query?: string) => Promise<Answers>
}

/** Reads of the user: their template, and how they are asked for where that differs. */
function userReads({ order, trade, algo }: Ids): Readonly<Record<string, string>> {
  return {
    '/v1/client/info': '',
    '/v1/client/holding': '?all=true',
    '/v1/client/statistics': '',
    '/v1/client/leverage': `?symbol=${BTC}`,
    '/v1/client/leverages': '',
    '/v1/client/margin_modes': '',
    '/v1/client/key_info': '',
    '/v1/positions': '',
    '/v1/position/{symbol}': BTC,
    '/v1/position_history': '',
    '/v1/liquidations': '',
    '/v1/funding_fee/history': '',
    '/v1/order/{id}': String(order),
    '/v1/orders': '',
    '/v1/algo/order/{id}': String(algo),
    '/v1/algo/orders': '',
    '/v1/trades': '',
    '/v1/trade/{id}': String(trade),
    '/v1/withdraw_nonce': '',
    '/v1/settle_nonce': '',
    '/v1/pnl_settlement/history': '',
    '/v1/asset/history': '',
    '/v1/internal_transfer_history': '?side=OUT',
    '/v1/volume/user/daily': `?${DATES}`,
    '/v1/volume/user/stats': '',
    '/v1/referral/referee_rebate_summary': `?${DATES}`,
    '/v1/referral/referee_history': '',
    '/v1/referral/multi_level/volume_prerequisite': '',
    '/v1/notification/inbox/notifications': '',
    '/v1/notification/inbox/unread': '',
  }
}

const REFERRER_READS: Readonly<Record<string, string>> = {
  '/v1/referral/info': '',
  '/v1/referral/rebate_summary': '',
  '/v1/referral/referee_info': '',
  '/v1/referral/referral_history': '',
  '/v1/referral/multi_level/statistics': '?time_range=all_time',
  '/v1/referral/multi_level/referee_list': '',
  '/v1/referral/multi_level/rebate_info': '',
  '/v1/referral/multi_level/max_rebate_rate': '',
}

/**
 * A deposit, trades in both margin modes, a bracket that fires, funding, a settlement, a withdrawal, a transfer,
 * referrals and a liquidation: every relayed write once, and every read before and after.
 */
export async function tellStory(rig: MoneyRig): Promise<Story> {
  const [referrer, user] = [await rig.account(), await rig.account()]
  const ids: Ids = { order: 1, trade: 1, algo: 1 }
  const written = new Map<string, unknown>()
  const write: Cast['write'] = async (call, body, query = '') => {
    const [method, path = ''] = call.split(' ')
    try {
      const answer = await rig.call(user, methodOf(method), path + query, body)
      written.set(call, answer)
      return answer
    } catch (error) {
      throw new Error(`${call} ${JSON.stringify(body)} is refused`, { cause: error })
    }
  }
  const cast = { rig, user, referrer, ids, write }
  const read = () => readAll(cast)
  const before = await read()
  await join(cast)
  await trade(cast)
  await edit(cast)
  await trigger(cast)
  await moveMoney(cast)
  await lose(cast)
  const after = await read()
  return { user, written, before, after, read }
}

async function readAll({ rig, user, referrer, ids }: Cast): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>()
  const all = [
    { who: user, reads: userReads(ids) },
    { who: referrer, reads: REFERRER_READS },
  ]
  for (const { who, reads } of all)
    for (const [template, rest] of Object.entries(reads)) {
      const path = template.replace(/\{\w+\}$/, '') + rest
      found.set(`GET ${template}`, await answerOf(() => rig.call(who, 'GET', path)))
    }
  return found
}

/** What a call answers, or the code that refuses it. */
async function answerOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ClientFailure) return error.code
    throw error
  }
}

async function join({ rig, user, referrer, write }: Cast): Promise<void> {
  await rig.affiliate(referrer, 'STORY1')
  await write('POST /v1/referral/bind', { referral_code: 'STORY1' })
  await rig.fund(user, 'token=ETH&amount=0.5')
  await write('POST /v1/client/leverage', { leverage: 8 })
  await write('POST /v1/client/leverages', { symbol: BTC, leverage: 5, margin_mode: 'CROSS' })
  const mode = { symbol: ETH, default_margin_mode: 'ISOLATED' }
  await write('POST /v1/client/margin_mode', mode)
}

async function trade({ write, ids, rig, user }: Cast): Promise<void> {
  const market = { order_type: 'MARKET', order_quantity: 0.2 }
  const { order_id } = await write('POST /v1/order', { ...market, symbol: BTC, side: 'BUY' })
  ids.order = order_id
  const trades = await rig.call(user, 'GET', '/v1/trades')
  ids.trade = trades['rows'][0].id
  await write('POST /v1/order', { ...market, symbol: ETH, side: 'BUY' })
  await write('POST /v1/position_margin', { symbol: ETH, type: 'ADD', amount: 10 })
  const close = { ...market, side: 'SELL', reduce_only: true }
  await write('POST /v1/order', { ...close, symbol: ETH, order_quantity: 0.1 })
  await write('POST /v1/referral/multi_level/claim_code', {})
  const { referral_code } = await rig.call(user, 'GET', '/v1/referral/multi_level/rebate_info')
  await write('POST /v1/referral/edit_referral_code', {
    current_referral_code: referral_code,
    new_referral_code: 'STORY2',
  })
}

/** Orders that rest far below the market. */
async function edit({ rig, write }: Cast): Promise<void> {
  const limit = {
    ...{ symbol: BTC, side: 'BUY', order_type: 'LIMIT', order_quantity: 0.01 },
    order_price: Math.floor((await markOf(rig)) * 0.96),
  }
  const batch = await write('POST /v1/batch-order', {
    orders: ['a1', 'a2'].map((client_order_id) => ({ ...limit, client_order_id })),
  })
  const rows: readonly Answers[] = batch['rows']
  const ids = rows.map(({ order_id }) => order_id)
  await write('DELETE /v1/batch-order', undefined, `?order_ids=${ids.join(',')}`)
  const { order_id } = await write('POST /v1/order', limit)
  const edited = { ...limit, order_id: String(order_id), order_quantity: 0.02 }
  await write('PUT /v1/order', edited)
  await write('DELETE /v1/order', undefined, `?order_id=${order_id}&symbol=${BTC}`)
  await write('POST /v1/order', limit)
  await write('DELETE /v1/orders', undefined, `?symbol=${BTC}`)
}

/** A stop that is edited and cancelled, and a bracket whose profit is taken. */
async function trigger({ rig, write, ids }: Cast): Promise<void> {
  const mark = await markOf(rig)
  const stop = {
    ...{ symbol: BTC, algo_type: 'STOP', type: 'MARKET', side: 'SELL', quantity: 0.01 },
    trigger_price: Math.floor(mark * 0.8),
  }
  const { order_id } = await write('POST /v1/algo/order', stop)
  await write('PUT /v1/algo/order', { order_id, trigger_price: Math.floor(mark * 0.81) })
  await write('DELETE /v1/algo/order', undefined, `?order_id=${order_id}&symbol=${BTC}`)
  await write('POST /v1/algo/order', stop)
  await write('DELETE /v1/algo/orders', undefined, `?symbol=${BTC}`)
  const leg = { side: 'SELL', type: 'MARKET', reduce_only: true }
  const legs = [
    { ...leg, algo_type: 'TAKE_PROFIT', trigger_price: Math.ceil(mark * 1.02) },
    { ...leg, algo_type: 'STOP_LOSS', trigger_price: Math.floor(mark * 0.8) },
  ]
  const bracket = await write('POST /v1/algo/order', {
    client_order_id: 'bracket',
    ...{ symbol: BTC, algo_type: 'BRACKET', side: 'BUY', type: 'LIMIT', quantity: 0.01 },
    price: Math.ceil(mark * 1.005),
    child_orders: [{ symbol: BTC, algo_type: 'TP_SL', child_orders: legs }],
  })
  ids.algo = bracket['order_id']
  await rig.tell('price/shock', { symbol: BTC, share: '0.1' })
  await rig.advance(MINUTE_MS)
}

async function moveMoney({ rig, user, referrer, write }: Cast): Promise<void> {
  await rig.advance(9 * HOUR_MS)
  const settling = consentBy(user, 'SettlePnl', { ...stamp(), settleNonce: 1 })
  await write('POST /v1/settle_pnl', settling)
  await rig.advance(MINUTE_MS)
  const asked = { receiver: user.wallet.address, token: 'USDC', amount: '100000000' }
  const withdrawal = { ...stamp(), ...asked, withdrawNonce: 1 }
  await write('POST /v1/withdraw_request', consentBy(user, 'Withdraw', withdrawal))
  // One movement of an account at a time.
  await rig.advance(MINUTE_MS)
  const receiver_list = [{ account_id: referrer.accountId, amount: 5 }]
  await write('POST /v1/internal_transfer', { receiver_list })
  await rig.advance(MINUTE_MS)
}

/** Reads what was told, is liquidated, sees the rebates of the day paid, and trades again. */
async function lose({ rig, user, write }: Cast): Promise<void> {
  const inbox = await rig.call(user, 'GET', '/v1/notification/inbox/notifications')
  const { id } = inbox['rows'][0]
  await write('POST /v1/notification/inbox/mark_read', { ids: [id], flag: 1 })
  await write('POST /v1/notification/inbox/mark_read_all', { flag: 1 })
  await rig.tell('liquidate', { account: user.accountId })
  await rig.advance(15 * HOUR_MS)
  const order = { symbol: BTC, order_type: 'MARKET', side: 'BUY', order_quantity: 0.05 }
  await write('POST /v1/order', order)
}

async function markOf(rig: MoneyRig): Promise<number> {
  const { markets } = await rig.get('/api/prep/markets')
  const rows: readonly Answers[] = markets
  return Number(rows.find((row) => row['symbol'] === BTC)?.['mark_price'])
}

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE']

function methodOf(name = ''): Method {
  const method = METHODS.find((known) => known === name)
  if (!method) throw new Error(`${name} is no method`)
  return method
}
