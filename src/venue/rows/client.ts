import type { Clock } from '../../core/ports.ts'
import type { Account, Exchange } from '../exchange/state.ts'
import { setLeverage } from '../margin/leverage.ts'
import { leverageOf } from '../margin/rates.ts'
import { choiceField, parseBody, requiredText, textField } from '../wire/body.ts'
import { pageOf, requiredQuery } from '../wire/page.ts'
import { refusal } from '../wire/refusals.ts'
import type { VenueCall, VenueRow } from '../wire/row.ts'
import { holdingRow, infoOf, keyRows, transferRows } from './client-shapes.ts'
import { dailyVolume, statisticsOf, volumeStats } from './client-volume.ts'
import { type AccountAnswer, privateRow } from './private.ts'

export type ClientParts = { readonly exchange: Exchange; readonly wallClock: Clock }

/** The account's own rows. Settings are written with the scope `read`, as the venue does by design. */
export function clientRows({ exchange, wallClock }: ClientParts): readonly VenueRow[] {
  const row = (method: 'GET' | 'POST', path: string, answer: AccountAnswer) =>
    privateRow(exchange, method, path, 'read', answer)
  return [
    row('GET', '/v1/client/info', (account, { nowMs }) => infoOf(exchange, account, nowMs)),
    row('GET', '/v1/client/holding', (account) => ({ holding: [holdingRow(account)] })),
    row('GET', '/v1/client/statistics', (account, { nowMs }) => statisticsOf(account, nowMs)),
    row('GET', '/v1/client/key_info', (account, { query }) => ({
      rows: keyRows(account, query, wallClock.nowMs()),
    })),
    row('GET', '/v1/client/leverage', (account, { query }) =>
      leverageRow(exchange, account, requiredQuery(query, 'symbol')),
    ),
    row('GET', '/v1/client/leverages', (account) => ({
      rows: Array.from(exchange.feed.instruments.keys(), (symbol) =>
        leverageRow(exchange, account, symbol),
      ),
    })),
    row('POST', '/v1/client/leverages', (account, call) => postLeverages(exchange, account, call)),
    row('POST', '/v1/client/leverage', (account, call) => {
      setLeverage(exchange, account, parseBody(call.body), null, call.nowMs)
    }),
    row('GET', '/v1/client/margin_modes', () => ({
      rows: Array.from(exchange.feed.instruments.keys(), (symbol) => ({
        symbol,
        default_margin_mode: 'CROSS',
      })),
    })),
    row('POST', '/v1/client/margin_mode', (_, call) => postMarginMode(exchange, call)),
    row('GET', '/v1/asset/history', ({ transfers }, { query }) => {
      return pageOf(transferRows(transfers, query), query)
    }),
    row('GET', '/v1/volume/user/daily', dailyVolume),
    row('GET', '/v1/volume/user/stats', (account, { nowMs }) => volumeStats(account, nowMs)),
    row('GET', '/v1/pnl_settlement/history', (_, { query }) => pageOf([], query)),
  ]
}

function leverageRow({ feed }: Exchange, account: Account, symbol: string) {
  const instrument = feed.instruments.get(symbol)
  if (!instrument) throw refusal('parameter', 'symbol is invalid')
  return { symbol, margin_mode: 'CROSS', leverage: leverageOf(account, instrument) }
}

function postLeverages(exchange: Exchange, account: Account, { body, nowMs }: VenueCall) {
  const fields = parseBody(body)
  refuseIsolated(choiceField(fields, 'margin_mode', MODES))
  const symbol = textField(fields, 'symbol') ?? null
  const leverage = setLeverage(exchange, account, fields, symbol, nowMs)
  return { ...(symbol !== null && { symbol }), margin_mode: 'CROSS', leverage }
}

/** Only the mode that every market has already can be set. */
function postMarginMode({ feed }: Exchange, { body }: VenueCall): undefined {
  const fields = parseBody(body)
  if (!feed.instruments.has(requiredText(fields, 'symbol')))
    throw refusal('parameter', 'symbol is invalid')
  const mode = choiceField(fields, 'default_margin_mode', MODES)
  if (!mode) throw refusal('parameter', 'default_margin_mode is required')
  refuseIsolated(mode)
}

const MODES = ['CROSS', 'ISOLATED'] as const

function refuseIsolated(mode: string | undefined): void {
  if (mode === 'ISOLATED') throw refusal('parameter', 'Isolated margin is not supported')
}
