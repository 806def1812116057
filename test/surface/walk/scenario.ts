import type { Method } from '../../../src/contract/allowlist.ts'
import { signed, vaultRequest } from '../../simulator/trading-wallet.ts'
import { type Answers, consentBy, type MoneyFixture, type Opened, stamp } from '../money-fixture.ts'
import { walkOperations } from './operation-reads.ts'
import { type Ids, readAll } from './relay-reads.ts'

const BTC = 'PERP_BTC_USDC'
const ETH = 'PERP_ETH_USDC'
const SOL = 'PERP_SOL_USDC'
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** Answers by what was asked: an operation's id, or a relayed call's method and template. */
export type AnswerMap = ReadonlyMap<string, unknown>

/** A user's days on the exchange, and what every operation and every relayed call answered in them. */
export type Scenario = {
  readonly fixture: MoneyFixture
  readonly user: Opened
  readonly written: AnswerMap
  readonly relayed: { readonly before: AnswerMap; readonly after: AnswerMap }
  /** Before the user came, when it was there, after its first trade at the same time, and at the end. */
  readonly operations: {
    readonly before: AnswerMap
    readonly joined: AnswerMap
    readonly traded: AnswerMap
    readonly after: AnswerMap
  }
  /** What everything answers now. */
  readonly read: () => Promise<AnswerMap>
  readonly walk: () => Promise<AnswerMap>
}

type Cast = {
  readonly fixture: MoneyFixture
  readonly user: Opened
  readonly referrer: Opened
  readonly vault: Readonly<Record<string, unknown>>
  readonly ids: Ids
  readonly write: (call: string, body?: object, query?: string) => Promise<Answers>
}

/**
 * A deposit, trades of both sides and in both margin modes, a bracket that fires, funding, a settlement, a withdrawal,
 * transfers, one of them to a sub-account, a deposit into a vault, referrals, announcements and a liquidation; a day of
 * the vaults and a week of the programs end in it. Every relayed write is in it once.
 */
export async function runScenario(fixture: MoneyFixture): Promise<Scenario> {
  const [referrer, user] = [await fixture.account(), await fixture.account()]
  await fixture.advance(HOUR_MS / 2)
  const vaults: Answers = await fixture.get('/api/prep/op/vault.info')
  const ids: Ids = { order: 1, trade: 1, algo: 1 }
  const written = new Map<string, unknown>()
  const cast = {
    fixture,
    user,
    referrer,
    vault: vaults['rows'][0],
    ids,
    write: writer(fixture, user, written),
  }
  const read = () => readAll(fixture, cast)
  const walk = () => walkOperations(fixture, cast)

  const [relayedBefore, before] = [await read(), await walk()]
  await join(cast)
  const joined = await walk()
  await buy(cast)
  const traded = await walk()
  for (const chapter of [trade, edit, trigger, moveMoney, lose]) await chapter(cast)
  const relayed = { before: relayedBefore, after: await read() }
  const operations = { before, joined, traded, after: await walk() }
  return { fixture, user, written, relayed, operations, read, walk }
}

/** Sends the user's writes, and keeps what each is answered. */
function writer(fixture: MoneyFixture, user: Opened, written: Map<string, unknown>): Cast['write'] {
  return async (call, body, query = '') => {
    const [method, path = ''] = call.split(' ')
    try {
      const answer = await fixture.call(user, methodOf(method), path + query, body)
      written.set(call, answer)
      return answer
    } catch (error) {
      throw new Error(`${call} ${JSON.stringify(body)} is refused`, { cause: error })
    }
  }
}

async function join({ fixture, user, referrer, write }: Cast): Promise<void> {
  await fixture.affiliate(referrer, 'STORY1')
  await write('POST /v1/referral/bind', { referral_code: 'STORY1' })
  await fixture.fund(user, 'token=ETH&amount=0.5')
  await write('POST /v1/client/leverage', { leverage: 8 })
  await write('POST /v1/client/leverages', { symbol: BTC, leverage: 5, margin_mode: 'CROSS' })
  const mode = { symbol: ETH, default_margin_mode: 'ISOLATED' }
  await write('POST /v1/client/margin_mode', mode)
}

async function buy({ write, ids, fixture, user }: Cast): Promise<void> {
  const order = { symbol: BTC, order_type: 'MARKET', side: 'BUY', order_quantity: 0.2 }
  const { order_id } = await write('POST /v1/order', order)
  ids.order = order_id
  const trades = await fixture.call(user, 'GET', '/v1/trades')
  ids.trade = trades['rows'][0].id
}

async function trade({ write, fixture, user, referrer }: Cast): Promise<void> {
  const market = { order_type: 'MARKET', order_quantity: 0.2 }
  await write('POST /v1/order', { ...market, symbol: ETH, side: 'BUY' })
  await write('POST /v1/position_margin', { symbol: ETH, type: 'ADD', amount: 10 })
  const close = { ...market, side: 'SELL', reduce_only: true }
  await write('POST /v1/order', { ...close, symbol: ETH, order_quantity: 0.1 })
  for (const [who, side] of [[user, 'SELL'] as const, [referrer, 'BUY'] as const]) {
    const order = { ...market, symbol: SOL, side, order_quantity: 3 }
    await fixture.call(who, 'POST', '/v1/order', order)
  }
  await write('POST /v1/referral/multi_level/claim_code', {})
  const { referral_code } = await fixture.call(user, 'GET', '/v1/referral/multi_level/rebate_info')
  await write('POST /v1/referral/edit_referral_code', {
    current_referral_code: referral_code,
    new_referral_code: 'STORY2',
  })
}

/** Orders that rest far below the market. */
async function edit({ fixture, write }: Cast): Promise<void> {
  const limit = {
    ...{ symbol: BTC, side: 'BUY', order_type: 'LIMIT', order_quantity: 0.01 },
    order_price: Math.floor((await markOf(fixture)) * 0.96),
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
async function trigger({ fixture, write, ids }: Cast): Promise<void> {
  const mark = await markOf(fixture)
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
  await fixture.command('price/shock', { symbol: BTC, share: '0.1' })
  await fixture.advance(MINUTE_MS)
}

async function moveMoney(cast: Cast): Promise<void> {
  const { fixture, user, referrer, write } = cast
  await fixture.advance(1.5 * HOUR_MS)
  const settling = consentBy(user, 'SettlePnl', { ...stamp(), settleNonce: 1 })
  await write('POST /v1/settle_pnl', settling)
  await fixture.advance(MINUTE_MS)
  const asked = { receiver: user.wallet.address, token: 'USDC', amount: '100000000' }
  const withdrawal = { ...stamp(), ...asked, withdrawNonce: 1 }
  await write('POST /v1/withdraw_request', consentBy(user, 'Withdraw', withdrawal))
  // One movement of an account at a time.
  await fixture.advance(MINUTE_MS)
  const { sub_account_id } = await addSubAccount(cast)
  const receivers = [referrer.accountId, sub_account_id]
  await write('POST /v1/internal_transfer', {
    receiver_list: receivers.map((account_id) => ({ account_id, amount: 5 })),
  })
  await fixture.advance(MINUTE_MS)
  await deposit(cast)
}

/** What the relay does not take, and the venue's own wire does. */
async function send(fixture: MoneyFixture, request: ReturnType<typeof signed>): Promise<Answers> {
  const { method, path, headers, body } = request
  const response = await fetch((await fixture.wire()) + path, {
    method,
    headers,
    ...(body && { body }),
  })
  const answer: Answers = Object(await response.json())
  if (!response.ok) throw new Error(`${path} is refused: ${JSON.stringify(answer)}`)
  return Object(answer['data'])
}

function addSubAccount({ fixture, user }: Cast): Promise<Answers> {
  const call = { method: 'POST', path: '/v1/client/add_sub_account', body: '{"description":"two"}' }
  const auth = { ...user, publicKey: user.key }
  return send(fixture, signed(auth, { ...call, timestampMs: Date.now() }))
}

/** Into a vault, which takes it when its day is over. */
async function deposit({ fixture, user, vault }: Cast): Promise<void> {
  const { nonce } = await fixture.get('/api/prep/op/vault.strategyNonce')
  const vaultId = String(vault['vault_id'])
  const asking = { payloadType: 0, vaultId, amount: 1_000_000_000, nonce: String(nonce) }
  await send(fixture, vaultRequest(user.wallet.secret, asking))
}

/** Reads the notifications, is liquidated, sees the rebates of the day paid, and trades again. */
async function lose({ fixture, user, referrer, write }: Cast): Promise<void> {
  const inbox = await fixture.call(user, 'GET', '/v1/notification/inbox/notifications')
  const { id } = inbox['rows'][0]
  await write('POST /v1/notification/inbox/mark_read', { ids: [id], flag: 1 })
  await write('POST /v1/notification/inbox/mark_read_all', { flag: 1 })
  await fixture.command('liquidate', { account: user.accountId })
  await fixture.command('announce', { message: 'A market is listed', type: 'LISTING' })
  await fixture.advance(8 * HOUR_MS)
  const order = { symbol: BTC, order_type: 'MARKET', side: 'BUY', order_quantity: 0.05 }
  await write('POST /v1/order', order)
  await fixture.command('liquidate', { account: referrer.accountId })
  await fixture.command('maintenance/on', { message: 'Back soon' })
}

async function markOf(fixture: MoneyFixture): Promise<number> {
  const { markets } = await fixture.get('/api/prep/markets')
  const rows: readonly Answers[] = markets
  return Number(rows.find((row) => row['symbol'] === BTC)?.['mark_price'])
}

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE']

function methodOf(name = ''): Method {
  const method = METHODS.find((known) => known === name)
  if (!method) throw new Error(`${name} is no method`)
  return method
}
