import { LEVERAGE } from '../exchange/limits.ts'
import type { Account, Exchange } from '../exchange/state.ts'
import { type Fields, integerField } from '../wire/body.ts'
import { refusal } from '../wire/refusals.ts'
import { marginOf } from './margin.ts'
import { leverageMax, notionalMax } from './rates.ts'

/**
 * Sets the account's leverage in one market, or, without a symbol, in all: a market's base rate still caps it. Throws
 * -1005 when the market does not allow it, -1101 when open positions and orders would lack margin or exceed the
 * notional it allows; then it stays as it was.
 */
export function setLeverage(
  exchange: Exchange,
  account: Account,
  fields: Fields,
  symbol: string | null,
  nowMs: number,
): number {
  const instrument = symbol === null ? undefined : exchange.feed.instruments.get(symbol)
  if (symbol !== null && !instrument) throw refusal('parameter', 'symbol is invalid')
  const max = instrument ? Math.min(LEVERAGE.max, leverageMax(instrument)) : LEVERAGE.max
  const leverage = leverageField(fields, max)
  const { profile } = account
  const before = { leverage: profile.leverage, leverages: profile.leverages }
  if (symbol === null) Object.assign(profile, { leverage, leverages: {} })
  else profile.leverages = { ...profile.leverages, [symbol]: leverage }
  if (!isCovered(exchange, account, nowMs)) {
    Object.assign(profile, before)
    throw refusal('risk')
  }
  exchange.journal.put('account', profile.accountId, profile)
  return leverage
}

function isCovered(exchange: Exchange, account: Account, nowMs: number): boolean {
  const { collateral, initialWithOrders, exposures } = marginOf(exchange, account, nowMs)
  if (collateral < initialWithOrders) return false
  return exposures
    .values()
    .every(
      ({ instrument, leverage, notionalWithOrders }) =>
        notionalWithOrders <= notionalMax(instrument, leverage),
    )
}

/** The `leverage` of a body. Throws -1005 when it is missing or out of bounds. */
function leverageField(fields: Fields, max: number = LEVERAGE.max): number {
  const leverage = integerField(fields, 'leverage', LEVERAGE.min, max)
  if (leverage === undefined) throw refusal('parameter', 'leverage is required')
  return leverage
}
