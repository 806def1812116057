import { removeKey } from '../accounts/accounts.ts'
import { Rejection } from '../engine/rejections.ts'
import { LEVERAGE } from '../exchange/limits.ts'
import { exposureIn, marketOf, type Seat, seatOf } from '../exchange/seat.ts'
import type { Exchange } from '../exchange/state.ts'
import { modeOf, refused } from '../orders/outcomes.ts'
import { isolatedField } from '../orders/request.ts'
import { type Fields, integerField, parseBody, requiredText, textField } from '../wire/body.ts'
import { queryText, requiredQuery } from '../wire/page.ts'
import { refusal } from '../wire/refusals.ts'
import type { VenueCall, VenueRow } from '../wire/row.ts'
import { infoOf, keyRows, restrictionOf } from './client-shapes.ts'
import { dailyStatistics, dailyVolume, statisticsOf, volumeStats } from './client-volume.ts'
import { assetHistory } from './money/assets.ts'
import { holdingRows } from './money/holdings.ts'
import { type AccountAnswer, privateRow, type SeatAnswer, seatRow } from './private.ts'

export type ClientParts = { readonly exchange: Exchange }

/** The account's own rows. Settings are written with the scope `read`, as the venue does by design. */
export function clientRows(parts: ClientParts): readonly VenueRow[] {
  return [...ownRows(parts), ...seatRows(parts.exchange)]
}

/** What needs to know who asks. */
function ownRows({ exchange }: ClientParts): readonly VenueRow[] {
  const row = (path: string, answer: AccountAnswer) =>
    privateRow(exchange, { method: 'GET', path, scope: 'read' }, answer)
  return [
    row('/v1/client/holding', ({ profile }, { accountId, query }) => ({
      holding: holdingRows(seatOf(exchange, accountId), profile, query.get('all') === 'true'),
    })),
    row('/v1/client/statistics', ({ profile }, { accountId, nowMs }) =>
      statisticsOf(seatOf(exchange, accountId), profile.createdAtMs, nowMs),
    ),
    row('/v1/client/statistics/daily', (_, { accountId, query }) => {
      const seat = seatOf(exchange, accountId)
      return dailyStatistics(seat, exchange.floor().closings.of(seat.account), query)
    }),
    row('/v1/client/key_info', (account, { query, nowMs }) => ({
      rows: keyRows(account, query, nowMs),
    })),
    row('/v1/client/orderly_key_ip_restriction', (account, { query }) =>
      restrictionOf(account, requiredQuery(query, 'orderly_key')),
    ),
    privateRow(
      exchange,
      { method: 'POST', path: '/v1/client/remove_orderly_key', scope: 'trading' },
      (account, { body, nowMs }) =>
        removeKey(exchange, account, requiredText(parseBody(body), 'orderly_key'), nowMs),
    ),
    row('/v1/asset/history', (_, call) => assetHistory(seatOf(exchange, call.accountId), call)),
  ]
}

function seatRows(exchange: Exchange): readonly VenueRow[] {
  const row = (method: 'GET' | 'POST', path: string, answer: SeatAnswer) =>
    seatRow(exchange, { method, path, scope: 'read' }, answer)
  const all = ({ engine }: Seat) => engine.world.exchange.markets
  return [
    row('GET', '/v1/client/info', infoOf),
    row('GET', '/v1/client/leverage', (seat, { query }) =>
      leverageRow(seat, requiredQuery(query, 'symbol'), isIsolated(query)),
    ),
    row('GET', '/v1/client/leverages', (seat) => ({
      rows: all(seat).flatMap(({ spec }) =>
        [false, true].map((isolated) => leverageRow(seat, spec.symbol, isolated)),
      ),
    })),
    row('POST', '/v1/client/leverages', postLeverages),
    row('POST', '/v1/client/leverage', (seat, { body, nowMs }) => {
      setLeverage(seat, parseBody(body), { symbol: null, isolated: false }, nowMs)
    }),
    row('GET', '/v1/client/margin_modes', (seat) => ({
      rows: all(seat).map((market) => ({
        symbol: market.spec.symbol,
        default_margin_mode: modeOf(exposureIn(seat, market)),
      })),
    })),
    row('POST', '/v1/client/margin_mode', postMarginMode),
    row('GET', '/v1/volume/user/daily', dailyVolume),
    row('GET', '/v1/volume/user/stats', volumeStats),
  ]
}

function leverageRow(seat: Seat, symbol: string, isolated: boolean) {
  const exposure = exposureIn(seat, marketOf(seat, symbol))
  const { leverage, spareLeverage } = exposure
  return {
    symbol,
    margin_mode: modeOf({ isolated }),
    leverage: exposure.isolated === isolated ? leverage : spareLeverage,
  }
}

/** The margin mode that a query names; cross when it names none. */
function isIsolated(query: URLSearchParams): boolean {
  return isolatedField({ margin_mode: queryText(query, 'margin_mode') }) ?? false
}

function postLeverages(seat: Seat, { body, nowMs }: VenueCall) {
  const fields = parseBody(body)
  const isolated = isolatedField(fields) ?? false
  const symbol = textField(fields, 'symbol') ?? null
  const leverage = setLeverage(seat, fields, { symbol, isolated }, nowMs)
  return { ...(symbol !== null && { symbol }), margin_mode: modeOf({ isolated }), leverage }
}

type LeverageOf = { readonly symbol: string | null; readonly isolated: boolean }

/** Throws -1005 when the market does not allow it, -1101 when positions and orders would lack margin; then it stays. */
function setLeverage(
  seat: Seat,
  fields: Fields,
  { symbol, isolated }: LeverageOf,
  nowMs: number,
): number {
  const market = symbol === null ? null : marketOf(seat, symbol)
  const leverage = integerField(fields, 'leverage', LEVERAGE.min, LEVERAGE.max)
  if (leverage === undefined) throw refusal('parameter', 'leverage is required')
  const account = seat.account.number
  const change = { account, market: market?.number ?? null, leverage, isolated }
  const outcome = seat.engine.submit('leverage', change, nowMs)
  if (outcome instanceof Rejection) throw refused(outcome)
  return leverage
}

/** Throws -1005 while the market is in use. */
function postMarginMode(seat: Seat, { body, nowMs }: VenueCall): undefined {
  const fields = parseBody(body)
  const { number: market } = marketOf(seat, requiredText(fields, 'symbol'))
  const isolated = isolatedField(fields, 'default_margin_mode')
  if (isolated === null) throw refusal('parameter', 'default_margin_mode is required')
  const change = { account: seat.account.number, market, isolated }
  const outcome = seat.engine.submit('marginMode', change, nowMs)
  if (outcome) throw refused(outcome)
}
