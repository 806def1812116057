import { isLive } from '../accounts/accounts.ts'
import { exposureIn, type Seat } from '../exchange/seat.ts'
import type { Account, Key, Transfer } from '../exchange/state.ts'
import { micro } from '../wire/number.ts'
import { periodOf, queryText } from '../wire/page.ts'
import { amountOf } from './figures.ts'
import { figuresOf, summaryOf } from './margin-figures.ts'

/** Eight decimals of a rate make one basis point. */
const BPS = 10_000

/** GET /v1/client/info, with the five figures of the account's margin that a live venue tells elsewhere. */
export function infoOf(seat: Seat) {
  const { account, engine } = seat
  const taker = account.fees.taker / BPS
  const maker = account.fees.maker / BPS
  const { scenes } = engine.world
  return {
    account_id: account.key,
    email: null,
    account_mode: 'FUTURES',
    max_leverage: account.leverage,
    taker_fee_rate: taker,
    maker_fee_rate: maker,
    rwa_taker_fee_rate: taker,
    rwa_maker_fee_rate: maker,
    futures_taker_fee_rate: taker,
    futures_maker_fee_rate: maker,
    maintenance_cancel_orders: true,
    imr_factor: Object.fromEntries(
      scenes.map(({ listed: { symbol, imrFactor } }) => [symbol, imrFactor]),
    ),
    max_notional: Object.fromEntries(
      scenes.map(({ market }) => [
        market.spec.symbol,
        amountOf(exposureIn(seat, market).notionalMax),
      ]),
    ),
    ...summaryOf(figuresOf(account)),
  }
}

/** The USDC row of GET /v1/client/holding. */
export function holdingRow({ account }: Seat, { profile, transfers }: Account) {
  const sum = (figureOf: (exposure: Seat['account']['used'][number]) => number) =>
    amountOf(account.used.reduce((total, exposure) => total + figureOf(exposure), 0))
  return {
    updated_time: transfers.at(-1)?.atMs ?? profile.createdAtMs,
    token: 'USDC',
    holding: amountOf(account.holding),
    frozen: 0,
    pending_short: 0,
    isolated_margin: sum(({ margin }) => margin),
    isolated_order_frozen: sum(({ frozen }) => frozen),
  }
}

/** The account's keys, those past their use as removed, perhaps only those of one `key_status`. */
export function keyRows({ keys }: Account, query: URLSearchParams, nowMs: number) {
  const wanted = queryText(query, 'key_status')
  return Array.from(keys.values(), (key) => keyRow(key, nowMs)).filter(
    ({ key_status }) => wanted === null || wanted === key_status,
  )
}

/** Deposits and withdrawals that a query selects, newest first. */
export function transferRows(transfers: readonly Transfer[], query: URLSearchParams) {
  const isWithin = periodOf(query)
  const wanted = (name: string, value: string) => (queryText(query, name) ?? value) === value
  return transfers
    .map(transferRow)
    .filter(
      ({ token, side, trans_status, created_time }) =>
        isWithin(created_time) &&
        wanted('token', token) &&
        wanted('side', side) &&
        wanted('status', trans_status),
    )
    .reverse()
}

function keyRow(key: Key, nowMs: number) {
  const { publicKey, scope, expiresAtMs, expirationMs = expiresAtMs, tag } = key
  return {
    orderly_key: publicKey,
    key_status: isLive(key, nowMs) ? 'ACTIVE' : 'REMOVED',
    ip_restriction_list: [],
    ip_restriction_status: 'ALLOW_ALL_IPS',
    expiration: expirationMs,
    scope,
    tag,
  }
}

function transferRow({ id, txId, side, amount, chainId, atMs }: Transfer) {
  return {
    id: String(id),
    tx_id: txId,
    side,
    token: 'USDC',
    amount: micro(amount),
    fee: 0,
    trans_status: 'COMPLETED',
    created_time: atMs,
    updated_time: atMs,
    chain_id: chainId,
  }
}
