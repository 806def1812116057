import { isKeyValid, removeKey } from '../accounts/accounts.ts'
import type { Key, Registration } from '../exchange/state.ts'
import { marketAccountIn, type TradingContext } from '../exchange/trading-context.ts'
import { type Fields, integerField, requiredText, textField } from '../messages/body.ts'
import { LEVERAGE } from '../messages/limits.ts'
import { queryText, requiredQuery } from '../messages/page.ts'
import { refusal } from '../messages/refusals.ts'
import { marginModeText, wireUsdc } from '../messages/values.ts'
import { isolatedField, isolatedQuery } from '../orders/parse/order.ts'
import { isIsolatedByDefault } from '../state/accounts.ts'
import { marketBySymbol } from '../state/exchange.ts'
import { accepted } from '../state/rejections.ts'
import { clientStatistics, dailyStatistics, dailyVolume, volumeStats } from './client-volume.ts'
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

type LeverageOf = { readonly symbol: string | null; readonly isolated: boolean }

/** Sets the leverage. Throws -1005 above the market's maximum, -1101 if margin is missing; then nothing has changed. */
function setLeverage(
  context: TradingContext,
  fields: Fields,
  { symbol, isolated }: LeverageOf,
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
