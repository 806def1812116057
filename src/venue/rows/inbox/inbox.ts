import type { InboxRow } from '../../engine/records/inbox.ts'
import { EXCHANGE_LIMITS } from '../../exchange/limits.ts'
import type { Seat } from '../../exchange/seat.ts'
import type { Exchange } from '../../exchange/state.ts'
import { type Fields, parseBody } from '../../wire/body.ts'
import { pageOf, queryText } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'
import type { VenueCall, VenueRow } from '../../wire/row.ts'
import { type SeatAnswer, seatRow } from '../private.ts'
import { notificationShape, typeOf } from './shapes.ts'

/** The account's notifications. Marking them is written with the scope `read`, as other settings are. */
export function inboxRows(exchange: Exchange): readonly VenueRow[] {
  const row = (method: 'GET' | 'POST', path: string, answer: SeatAnswer) =>
    seatRow(exchange, { method, path: `/v1/notification/inbox/${path}`, scope: 'read' }, answer)
  return [
    row('GET', 'notifications', notifications),
    row('GET', 'unread', ({ inbox }) => ({
      count: inbox.filter(({ isRead }) => !isRead).length,
      last_id: inbox.at(-1)?.id ?? 0,
    })),
    row('POST', 'mark_read', (seat, call) => mark(seat, call, idsOf(given(call, 'ids')))),
    row('POST', 'mark_read_all', (seat, call) => mark(seat, call, null)),
  ]
}

/** The latest first. */
function notifications(seat: Seat, { query }: VenueCall) {
  const type = queryText(query, 'type')
  if (type !== null && type !== 'TRADE' && type !== 'SYSTEM')
    throw refusal('parameter', 'type must be TRADE or SYSTEM')
  const isWanted = ({ notice }: InboxRow) => type === null || typeOf(notice) === type
  const { meta, rows } = pageOf(seat.inbox.filter(isWanted).reverse(), query)
  return { rows: rows.map((row) => notificationShape(row, seat)), meta }
}

function mark(
  { engine, account }: Seat,
  call: VenueCall,
  ids: readonly number[] | null,
): undefined {
  const flag = String(given(call, 'flag'))
  if (flag !== '0' && flag !== '1') throw refusal('parameter', 'flag must be 0 or 1')
  engine.submit('mark', { account: account.number, ids, isRead: flag === '1' }, call.nowMs)
}

/** A parameter of the query, as documented, or of the body, as clients send it. */
function given({ query, body }: VenueCall, name: string): unknown {
  const values = query.getAll(name).filter((value) => value !== '')
  if (values.length > 0) return values.join(',')
  const fields: Fields = body === '' ? {} : parseBody(body)
  return fields[name] ?? undefined
}

/** Ids as a list or as text with commas between them. Throws -1005. */
function idsOf(value: unknown): number[] {
  const texts = Array.isArray(value) ? value.map(String) : String(value ?? '').split(',')
  const max = EXCHANGE_LIMITS.notificationIdsMax
  if (texts.length > max || !texts.every((text) => /^\d{1,15}$/.test(text.trim())))
    throw refusal('parameter', `ids must be 1 to ${max} notification ids`)
  return texts.map(Number)
}
