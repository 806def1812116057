import { openConsent } from '../../accounts/consent.ts'
import { Rejection } from '../../engine/rejections.ts'
import { marketAt, type Seat, seatOf } from '../../exchange/seat.ts'
import { refused } from '../../orders/outcomes.ts'
import { parseBody } from '../../wire/body.ts'
import { pageOf, periodOf } from '../../wire/page.ts'
import type { VenueCall, VenueRow } from '../../wire/row.ts'
import { amountOf } from '../figures.ts'
import { privateRow, seatRow } from '../private.ts'
import { type MoneyParts, momentOf } from './parts.ts'

/** GET /v1/settle_nonce, POST /v1/settle_pnl and GET /v1/pnl_settlement/history. */
export function settlementRows(parts: MoneyParts): readonly VenueRow[] {
  const { exchange } = parts
  return [
    seatRow(
      exchange,
      { method: 'GET', path: '/v1/settle_nonce', scope: 'read' },
      ({ account }) => ({
        settle_nonce: account.nonces.settle + 1,
      }),
    ),
    privateRow(
      exchange,
      { method: 'POST', path: '/v1/settle_pnl', scope: 'trading' },
      ({ profile }, { body, nowMs }) => {
        const moment = momentOf(parts, nowMs)
        const { nonce } = openConsent('SettlePnl', parseBody(body), profile, moment)
        const { engine, account } = seatOf(exchange, profile.accountId)
        const outcome = engine.submit('settle', { account: account.number, nonce }, nowMs)
        if (outcome instanceof Rejection) throw refused(outcome)
        return { settle_pnl_id: outcome }
      },
    ),
    seatRow(
      exchange,
      { method: 'GET', path: '/v1/pnl_settlement/history', scope: 'read' },
      settlementHistory,
    ),
  ]
}

/** The account's settlements, the latest first. */
function settlementHistory(seat: Seat, { query }: VenueCall) {
  const isWithin = periodOf(query)
  const chosen = seat.ledger.settlements.filter(({ atMs }) => isWithin(atMs)).reverse()
  const { meta, rows } = pageOf(chosen, query)
  return {
    meta,
    rows: rows.map(({ id, before, after, requestedAtMs, atMs, parts }) => ({
      id,
      old_balance: amountOf(before),
      new_balance: amountOf(after),
      settled_amount: amountOf(after - before),
      requested_time: requestedAtMs,
      settled_time: atMs,
      symbols: parts.map((part) => ({
        symbol: marketAt(seat, part).spec.symbol,
        settled_amount: amountOf(part.amount),
      })),
    })),
  }
}
