import { FEES } from '../exchange/limits.ts'
import type { Account, Exchange, Key, Transfer } from '../exchange/state.ts'
import { marginOf } from '../margin/margin.ts'
import { leverageOf, notionalMax } from '../margin/rates.ts'
import { chargeAccount } from '../positions/funding.ts'
import { fixed, micro } from '../wire/number.ts'
import { periodOf, queryText } from '../wire/page.ts'

/** GET /v1/client/info, with the five figures of the account's margin that a live venue tells elsewhere. */
export function infoOf(exchange: Exchange, account: Account, nowMs: number) {
  const { profile } = account
  const taker = Number(FEES.takerBps)
  const maker = Number(FEES.makerBps)
  const instruments = [...exchange.feed.instruments.values()]
  return {
    account_id: profile.accountId,
    email: null,
    account_mode: 'FUTURES',
    max_leverage: profile.leverage,
    taker_fee_rate: taker,
    maker_fee_rate: maker,
    rwa_taker_fee_rate: taker,
    rwa_maker_fee_rate: maker,
    futures_taker_fee_rate: taker,
    futures_maker_fee_rate: maker,
    maintenance_cancel_orders: true,
    imr_factor: Object.fromEntries(instruments.map(({ symbol, imrFactor }) => [symbol, imrFactor])),
    max_notional: Object.fromEntries(
      instruments.map((instrument) => [
        instrument.symbol,
        micro(notionalMax(instrument, leverageOf(account, instrument))),
      ]),
    ),
    ...summaryOf(exchange, account, nowMs),
  }
}

/** The USDC row of GET /v1/client/holding. */
export function holdingRow({ profile }: Account) {
  return {
    updated_time: profile.holdingAtMs,
    token: 'USDC',
    holding: micro(profile.holding),
    frozen: 0,
    pending_short: 0,
    isolated_margin: 0,
    isolated_order_frozen: 0,
  }
}

/** The account's keys, those past their expiration as removed, perhaps only those of one `key_status`. */
export function keyRows({ keys }: Account, query: URLSearchParams, wallMs: number) {
  const wanted = queryText(query, 'key_status')
  return Array.from(keys.values(), (key) => keyRow(key, wallMs)).filter(
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

function summaryOf(exchange: Exchange, account: Account, nowMs: number) {
  chargeAccount(exchange, account, nowMs)
  const { collateral, freeCollateral, unsettledPnl, ratios } = marginOf(exchange, account, nowMs)
  return {
    total_collateral_value: micro(collateral),
    free_collateral: micro(freeCollateral),
    total_unsettled_pnl: micro(unsettledPnl),
    margin_ratio: fixed(ratios.margin),
    maintenance_margin_ratio: fixed(ratios.maintenance),
  }
}

function keyRow({ publicKey, scope, expiresAtMs, tag }: Key, wallMs: number) {
  return {
    orderly_key: publicKey,
    key_status: expiresAtMs > wallMs ? 'ACTIVE' : 'REMOVED',
    ip_restriction_list: [],
    ip_restriction_status: 'ALLOW_ALL_IPS',
    expiration: expiresAtMs,
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
