import { removeKey } from '../accounts/accounts.ts'
import { Rejection } from '../engine/rejections.ts'
import { LEVERAGE } from '../exchange/limits.ts'
import { exposureIn, marketOf, type Seat, seatOf } from '../exchange/seat.ts'
import type { Exchange } from '../exchange/state.ts'
import { modeOf, refused } from '../orders/outcomes.ts'
import {
  choiceField,
  type Fields,
  integerField,
  parseBody,
  requiredText,
  textField,
} from '../wire/body.ts'
import { pageOf, requiredQuery } from '../wire/page.ts'
import { refusal } from '../wire/refusals.ts'
import type { VenueCall, VenueRow } from '../wire/row.ts'
import { holdingRow, infoOf, keyRows, transferRows } from './client-shapes.ts'
import { dailyVolume, statisticsOf, volumeStats } from './client-volume.ts'
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
    row('/v1/client/holding', (account, { accountId }) => ({
      holding: [holdingRow(seatOf(exchange, accountId), account)],
    })),
    row('/v1/client/statistics', ({ profile }, { accountId, nowMs }) =>
      statisticsOf(seatOf(exchange, accountId), profile.createdAtMs, nowMs),
    ),
    row('/v1/client/key_info', (account, { query, nowMs }) => ({
      rows: keyRows(account, query, nowMs),
    })),
    privateRow(
      exchange,
      { method: 'POST', path: '/v1/client/remove_orderly_key', scope: 'trading' },
      (account, { body, nowMs }) =>
        removeKey(exchange, account, requiredText(parseBody(body), 'orderly_key'), nowMs),
    ),
    row('/v1/asset/history', ({ transfers }, { query }) =>
      pageOf(transferRows(transfers, query), query),
    ),
  ]
}

function seatRows(exchange: Exchange): readonly VenueRow[] {
  const row = (method: 'GET' | 'POST', path: string, answer: SeatAnswer) =>
    seatRow(exchange, { method, path, scope: 'read' }, answer)
  const all = ({ engine }: Seat) => engine.world.exchange.markets
  return [
    row('GET', '/v1/client/info', infoOf),
    row('GET', '/v1/client/leverage', (seat, { query }) =>
      leverageRow(seat, requiredQuery(query, 'symbol')),
    ),
    row('GET', '/v1/client/leverages', (seat) => ({
      rows: all(seat).map(({ spec }) => leverageRow(seat, spec.symbol)),
    })),
    row('POST', '/v1/client/leverages', postLeverages),
    row('POST', '/v1/client/leverage', (seat, { body, nowMs }) => {
      setLeverage(seat, parseBody(body), null, nowMs)
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
    row('GET', '/v1/pnl_settlement/history', (_, { query }) => pageOf([], query)),
  ]
}

function leverageRow(seat: Seat, symbol: string) {
  const exposure = exposureIn(seat, marketOf(seat, symbol))
  return { symbol, margin_mode: modeOf(exposure), leverage: exposure.leverage }
}

function postLeverages(seat: Seat, { body, nowMs }: VenueCall) {
  const fields = parseBody(body)
  refuseIsolated(choiceField(fields, 'margin_mode', MODES))
  const symbol = textField(fields, 'symbol') ?? null
  const leverage = setLeverage(seat, fields, symbol, nowMs)
  return { ...(symbol !== null && { symbol }), margin_mode: 'CROSS', leverage }
}

/** Throws -1005 when the market does not allow it, -1101 when positions and orders would lack margin; then it stays. */
function setLeverage(seat: Seat, fields: Fields, symbol: string | null, nowMs: number): number {
  const market = symbol === null ? null : marketOf(seat, symbol)
  const leverage = integerField(fields, 'leverage', LEVERAGE.min, LEVERAGE.max)
  if (leverage === undefined) throw refusal('parameter', 'leverage is required')
  const account = seat.account.number
  const change = { account, market: market?.number ?? null, leverage }
  const outcome = seat.engine.submit('leverage', change, nowMs)
  if (outcome instanceof Rejection) throw refused(outcome)
  return leverage
}

/** Only the mode that every market has already can be set. */
function postMarginMode(seat: Seat, { body }: VenueCall): undefined {
  const fields = parseBody(body)
  marketOf(seat, requiredText(fields, 'symbol'))
  const mode = choiceField(fields, 'default_margin_mode', MODES)
  if (!mode) throw refusal('parameter', 'default_margin_mode is required')
  refuseIsolated(mode)
}

const MODES = ['CROSS', 'ISOLATED'] as const

function refuseIsolated(mode: string | undefined): void {
  if (mode === 'ISOLATED') throw refusal('parameter', 'Isolated margin is not supported')
}
