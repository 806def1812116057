import { isLive } from '../accounts/accounts.ts'
import { exposureIn, type Seat } from '../exchange/seat.ts'
import type { Account, Key } from '../exchange/state.ts'
import { queryText } from '../wire/page.ts'
import { refusal } from '../wire/refusals.ts'
import { amountOf } from './figures.ts'
import { figuresOf, summaryOf } from './margin-figures.ts'

/** Nothing here binds a key to addresses. */
const FROM_EVERYWHERE: readonly string[] = []

/** Eight decimals of a rate make one basis point. */
const BPS = 10_000

/** GET /v1/client/info, with the five figures of the account's margin that a live venue tells elsewhere. */
export function infoOf(seat: Seat) {
  const { account, engine } = seat
  const { fees, rwaFees } = account
  const [taker, maker] = [fees.taker / BPS, fees.maker / BPS]
  const { scenes } = engine.world
  return {
    account_id: account.key,
    email: null,
    account_mode: 'FUTURES',
    max_leverage: account.leverage,
    taker_fee_rate: taker,
    maker_fee_rate: maker,
    rwa_taker_fee_rate: rwaFees.taker / BPS,
    rwa_maker_fee_rate: rwaFees.maker / BPS,
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
    ...summaryOf(figuresOf(seat)),
  }
}

/** The account's keys, those past their use as removed, perhaps only those of one `key_status`. */
export function keyRows({ keys }: Account, query: URLSearchParams, nowMs: number) {
  const wanted = queryText(query, 'key_status')
  return Array.from(keys.values(), (key) => keyRow(key, nowMs)).filter(
    ({ key_status }) => wanted === null || wanted === key_status,
  )
}

function keyRow(key: Key, nowMs: number) {
  const { publicKey, scope, expiresAtMs, expirationMs = expiresAtMs, tag } = key
  return {
    orderly_key: publicKey,
    key_status: isLive(key, nowMs) ? 'ACTIVE' : 'REMOVED',
    ip_restriction_list: FROM_EVERYWHERE,
    ip_restriction_status: 'ALLOW_ALL_IPS',
    expiration: expirationMs,
    scope,
    tag,
  }
}

/** GET /v1/client/orderly_key_ip_restriction. Throws -1006 when the account has no such key. */
export function restrictionOf({ profile, keys }: Account, publicKey: string) {
  const key = keys.get(publicKey)
  if (!key) throw refusal('notFound', 'The orderly key is not found')
  return {
    account_id: profile.accountId,
    orderly_key: publicKey,
    ip_restriction_list: FROM_EVERYWHERE,
    tag: key.tag,
  }
}
