import { DAY_MS } from '../../contract/durations.ts'
import { isKeyValid, removeKey } from '../accounts/accounts.ts'
import { lastDays } from '../base/bounded-list.ts'
import { sumBy } from '../base/units.ts'
import type { Key, Registration } from '../exchange/state.ts'
import { marketAccountIn, type TradingContext } from '../exchange/trading-context.ts'
import type { Closing } from '../history/days.ts'
import { type Fields, integerField, requiredText, textField } from '../messages/body.ts'
import { LEVERAGE } from '../messages/limits.ts'
import { daysIn, queriedPage, queryText, requiredQuery, utcDateText } from '../messages/page.ts'
import { refusal } from '../messages/refusals.ts'
import { marginModeText, wireUsdc } from '../messages/values.ts'
import { isolatedField, isolatedQuery } from '../orders/parse/order.ts'
import { isIsolatedByDefault } from '../state/accounts.ts'
import { marketBySymbol } from '../state/exchange.ts'
import { accepted } from '../state/rejections.ts'
import { assetHistory, holdingRows } from './money/holdings.ts'
import { marginFigures, marginSummary } from './positions/margin-figures.ts'
import type { SignedTable } from './signed/call.ts'

/** Figures and settings of the account. A write of a setting needs only the scope `read`, as on the live venue. */
export const CLIENT: SignedTable = {
  read: {
    'GET /v1/client/holding': ({ account: { profile }, context, query }) => ({
      holding: holdingRows(context, profile, query.get('all') === 'true'),
    }),
    'GET /v1/client/statistics': ({ account: { profile }, context, nowMs }) =>
      clientStatistics(context, profile.createdAtMs, nowMs),
    'GET /v1/client/statistics/daily': ({ exchange, context, query }) =>
      dailyStatistics(context, exchange.simulation().closings.of(context.account), query),
    'GET /v1/client/key_info': ({ account, query, nowMs }) => ({
      rows: keyRows(account, query, nowMs),
    }),
    'GET /v1/client/orderly_key_ip_restriction': ({ account, query }) =>
      ipRestriction(account, requiredQuery(query, 'orderly_key')),
    'GET /v1/asset/history': ({ context, query }) => assetHistory(context, query),
    'GET /v1/client/info': ({ context }) => clientInfo(context),
    'GET /v1/client/leverage': ({ context, query }) =>
      leverageRow(context, requiredQuery(query, 'symbol'), isolatedQuery(query)),
    'GET /v1/client/leverages': ({ context }) => ({
      rows: context.engine.world.exchange.markets.flatMap(({ spec }) =>
        [false, true].map((isolated) => leverageRow(context, spec.symbol, isolated)),
      ),
    }),
    'POST /v1/client/leverages': ({ context, fields, nowMs }) => {
      const isolated = isolatedField(fields) ?? false
      const symbol = textField(fields, 'symbol') ?? null
      const leverage = setLeverage(context, fields, { symbol, isolated }, nowMs)
      return {
        ...(symbol !== null && { symbol }),
        margin_mode: marginModeText({ isolated }),
        leverage,
      }
    },
    'POST /v1/client/leverage': ({ context, fields, nowMs }) => {
      setLeverage(context, fields, { symbol: null, isolated: false }, nowMs)
    },
    'GET /v1/client/margin_modes': ({ context }) => ({
      rows: context.engine.world.exchange.markets.map((market) => ({
        symbol: market.spec.symbol,
        default_margin_mode: marginModeText({
          isolated: isIsolatedByDefault(context.account, market),
        }),
      })),
    }),
    // Sets the default margin mode. Refused with -1005 while the market is in use in its current default mode.
    'POST /v1/client/margin_mode': ({ context, fields, nowMs }) => {
      const { number: market } = marketBySymbol(
        context.engine.world.exchange,
        requiredText(fields, 'symbol'),
      )
      const isolated = isolatedField(fields, 'default_margin_mode')
      if (isolated === null) throw refusal('parameter', 'default_margin_mode is required')
      const change = { account: context.account.number, market, isolated }
      accepted(context.engine.submit('marginMode', change, nowMs))
    },
    'GET /v1/volume/user/daily': ({ context, query }) => dailyVolume(context, query),
    'GET /v1/volume/user/stats': ({ context, nowMs }) => volumeStats(context, nowMs),
  },
  trading: {
    'POST /v1/client/remove_orderly_key': ({ exchange, account, fields, nowMs }) =>
      removeKey(exchange, account, requiredText(fields, 'orderly_key'), nowMs),
  },
}

function leverageRow(context: TradingContext, symbol: string, isolated: boolean) {
  const market = marketBySymbol(context.engine.world.exchange, symbol)
  const { leverage } = marketAccountIn(context, market, isolated)
  return { symbol, margin_mode: marginModeText({ isolated }), leverage }
}

/** Sets the leverage. Throws -1005 above the market's maximum, -1101 if margin is missing; then nothing has changed. */
function setLeverage(
  context: TradingContext,
  fields: Fields,
  { symbol, isolated }: { readonly symbol: string | null; readonly isolated: boolean },
  nowMs: number,
): number {
  const market = symbol === null ? null : marketBySymbol(context.engine.world.exchange, symbol)
  const leverage = integerField(fields, 'leverage', LEVERAGE.min, LEVERAGE.max)
  if (leverage === undefined) throw refusal('parameter', 'leverage is required')
  const account = context.account.number
  const change = { account, market: market?.number ?? null, leverage, isolated }
  accepted(context.engine.submit('leverage', change, nowMs))
  return leverage
}

/** The addresses a key is restricted to. Keys of this venue have no such restriction. */
const FROM_EVERYWHERE: readonly string[] = []

/** A rate with eight decimals that is one basis point. */
const BPS = 10_000

/** GET /v1/client/info, with five margin figures that a live venue reports on other paths. */
function clientInfo(context: TradingContext) {
  const { account, engine } = context
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
        wireUsdc(
          marketAccountIn(context, market, isIsolatedByDefault(account, market)).notionalMax,
        ),
      ]),
    ),
    ...marginSummary(marginFigures(context)),
  }
}

/**
 * The account's keys, optionally with one `key_status`. Expirations are by the venue's clock, and keys that have ended
 * show as removed.
 */
function keyRows({ keys }: Registration, query: URLSearchParams, nowMs: number) {
  const wanted = queryText(query, 'key_status')
  return Array.from(keys.values(), (key) => keyRow(key, nowMs)).filter(
    ({ key_status }) => wanted === null || wanted === key_status,
  )
}

function keyRow(key: Key, nowMs: number) {
  const { publicKey, scope, expiresAtMs, tag } = key
  return {
    orderly_key: publicKey,
    key_status: isKeyValid(key, nowMs) ? 'ACTIVE' : 'REMOVED',
    ip_restriction_list: FROM_EVERYWHERE,
    ip_restriction_status: 'ALLOW_ALL_IPS',
    expiration: expiresAtMs,
    scope,
    tag,
  }
}

/** GET /v1/client/orderly_key_ip_restriction. Throws -1006 if the account has no such key. */
function ipRestriction({ profile, keys }: Registration, publicKey: string) {
  const key = keys.get(publicKey)
  if (!key) throw refusal('notFound', 'The orderly key is not found')
  return {
    account_id: profile.accountId,
    orderly_key: publicKey,
    ip_restriction_list: FROM_EVERYWHERE,
    tag: key.tag,
  }
}

/** GET /v1/client/statistics. */
function clientStatistics(context: TradingContext, createdAtMs: number, nowMs: number) {
  const fees = wireUsdc(sumBy(lastDays(context.account.days, nowMs, 30), (day) => day.fees))
  const last24Hours = wireUsdc(volumeOfDay(context, nowMs))
  const last30Days = wireUsdc(volumeSince(context, nowMs, 30))
  const yearToDate = wireUsdc(volumeOfYear(context, nowMs))
  return {
    days_since_registration: Math.floor((nowMs - createdAtMs) / DAY_MS),
    fees_paid_last_30_days: fees,
    perp_fees_paid_last_30_days: fees,
    perp_trading_volume_last_24_hours: last24Hours,
    perp_trading_volume_last_7_days: wireUsdc(volumeSince(context, nowMs, 7)),
    perp_trading_volume_last_30_days: last30Days,
    perp_trading_volume_ytd: yearToDate,
    perp_trading_volume_ltd: wireUsdc(context.account.volume),
    trading_volume_last_24_hours: last24Hours,
    trading_volume_last_30_days: last30Days,
    trading_volume_ytd: yearToDate,
  }
}

/** GET /v1/volume/user/stats. */
function volumeStats(context: TradingContext, nowMs: number) {
  return {
    perp_volume_ytd: wireUsdc(volumeOfYear(context, nowMs)),
    perp_volume_ltd: wireUsdc(context.account.volume),
    perp_volume_today: wireUsdc(volumeSince(context, nowMs, 1)),
    perp_volume_last_1_day: wireUsdc(volumeOfDay(context, nowMs)),
    perp_volume_last_7_days: wireUsdc(volumeSince(context, nowMs, 7)),
    perp_volume_last_30_days: wireUsdc(volumeSince(context, nowMs, 30)),
  }
}

/**
 * GET /v1/client/statistics/daily: the days that have ended, from `start_date` to `end_date`, newest first. Throws
 * -1005 for an invalid date.
 */
function dailyStatistics(
  { account }: TradingContext,
  closings: readonly Closing[],
  query: URLSearchParams,
) {
  const days = daysIn(query, true)
  const rows = closings.filter(days.has).map(({ day, atMs, value }) => {
    const traded = account.days.find((each) => each.day === day)
    return {
      date: utcDateText(day),
      account_value: wireUsdc(value),
      perp_volume: wireUsdc(traded?.volume ?? 0),
      pnl: wireUsdc(traded?.realizedPnl ?? 0),
      snapshot_time: atMs,
    }
  })
  return queriedPage(rows.reverse(), query)
}

/**
 * GET /v1/volume/user/daily: the days with trades, from `start_date` to `end_date`. Throws -1005 for an invalid date.
 */
function dailyVolume({ account }: TradingContext, query: URLSearchParams) {
  const days = daysIn(query, true)
  return account.days
    .filter(days.has)
    .map(({ day, volume }) => ({ date: utcDateText(day), perp_volume: wireUsdc(volume) }))
}

function volumeSince({ account }: TradingContext, nowMs: number, count: number): number {
  return sumBy(lastDays(account.days, nowMs, count), (day) => day.volume)
}

/** The volume of the last 1440 minutes, including the current minute. */
function volumeOfDay({ flows }: TradingContext, nowMs: number): number {
  return sumBy(flows(nowMs), ({ volume }) => volume)
}

function volumeOfYear({ account }: TradingContext, nowMs: number): number {
  const newYear = Date.UTC(new Date(nowMs).getUTCFullYear(), 0, 1) / DAY_MS
  return sumBy(
    account.days.filter(({ day }) => day >= newYear),
    (day) => day.volume,
  )
}
