import { formatDecimal } from '../../core/decimals.ts'
import { microUsdcText } from '../base/decimals.ts'
import { marketAt, type TradingContext } from '../exchange/trading-context.ts'
import type { InboxNotice, InboxRow } from '../history/inbox.ts'
import { type Fields, parseFields } from '../messages/body.ts'
import { EXCHANGE_LIMITS } from '../messages/limits.ts'
import { queriedPage, queryText } from '../messages/page.ts'
import { refusal } from '../messages/refusals.ts'
import type { VenueCall } from '../messages/row.ts'
import { sideOf, wirePrice, wireQuantity, wireUsdc } from '../messages/values.ts'
import type { SignedCall, SignedTable } from './signed/call.ts'

/** The account's notifications. Marking a notification needs only the scope `read`, as writes of settings do. */
export const INBOX: SignedTable = {
  read: {
    'GET /v1/notification/inbox': notifications,
    'GET /v1/notification/inbox/notifications': notifications,
    'GET /v1/notification/inbox/unread': ({ context: { inbox } }) => ({
      count: inbox.filter(({ isRead }) => !isRead).length,
      last_id: inbox.at(-1)?.id ?? 0,
    }),
    'POST /v1/notification/inbox/mark_read': (call) => mark(call, parseIds(given(call, 'ids'))),
    'POST /v1/notification/inbox/mark_read_all': (call) => mark(call, null),
  },
}

/** The notifications, latest first. */
function notifications({ context, query }: SignedCall) {
  const type = queryText(query, 'type')
  if (type !== null && type !== 'TRADE' && type !== 'SYSTEM')
    throw refusal('parameter', 'type must be TRADE or SYSTEM')
  const isWanted = ({ notice }: InboxRow) => type === null || noticeType(notice) === type
  const { meta, rows } = queriedPage(context.inbox.filter(isWanted).reverse(), query)
  return { rows: rows.map((row) => notificationShape(row, context)), meta }
}

function mark(call: SignedCall, ids: readonly number[] | null): undefined {
  const { engine, account } = call.context
  const flag = String(given(call, 'flag'))
  if (flag !== '0' && flag !== '1') throw refusal('parameter', 'flag must be 0 or 1')
  engine.submit('mark', { account: account.number, ids, isRead: flag === '1' }, call.nowMs)
}

/** A parameter from the query, as documented, or from the body, as some clients send it. */
function given({ query, body }: VenueCall, name: string): unknown {
  const values = query.getAll(name).filter((value) => value !== '')
  if (values.length > 0) return values.join(',')
  const fields: Fields = body === '' ? {} : parseFields(body)
  return fields[name] ?? undefined
}

/** Ids from a list, or from a text that separates them with commas. Throws -1005 for too many or a malformed id. */
function parseIds(value: unknown): number[] {
  const texts = Array.isArray(value) ? value.map(String) : String(value ?? '').split(',')
  const max = EXCHANGE_LIMITS.notificationIdsMax
  if (texts.length > max || !texts.every((text) => /^\d{1,15}$/.test(text.trim())))
    throw refusal('parameter', `ids must be 1 to ${max} notification ids`)
  return texts.map(Number)
}

/** The type of a notification: about trading, or from the venue. */
function noticeType({ kind }: InboxNotice): 'TRADE' | 'SYSTEM' {
  return kind === 'announced' ? 'SYSTEM' : 'TRADE'
}

/** A row of GET /v1/notification/inbox/notifications. */
function notificationShape({ id, atMs, isRead, notice }: InboxRow, context: TradingContext) {
  const { type, title, text, raw } = noticeText(notice, context, atMs)
  return {
    id,
    message_type: type,
    email: '',
    application_id: context.account.key,
    title,
    type: noticeType(notice),
    level: notice.kind === 'liquidated' ? 'IMPORTANT' : 'GENERAL',
    content_summary: text,
    content: `<p>${escaped(text)}</p>`,
    content_raw: raw,
    mark_read: isRead ? 1 : 0,
    operator: 0,
    created_time: atMs,
    announcement_id: notice.kind === 'announced' ? notice.announcement : 0,
  }
}

type NoticeText = {
  readonly type: string
  readonly title: string
  readonly text: string
  readonly raw: object
}

function noticeText(notice: InboxNotice, context: TradingContext, atMs: number): NoticeText {
  switch (notice.kind) {
    case 'filled':
      return filled(notice, context, atMs)
    case 'triggered':
      return triggered(notice, context, atMs)
    case 'liquidated':
      return liquidated(notice, context)
    case 'settled': {
      const { settlement, amount } = notice
      return {
        type: 'PNL_SETTLED',
        title: 'Your PnL has been settled',
        text: `${microUsdcText(BigInt(amount))} USDC of unsettled PnL became balance.`,
        raw: { settle_pnl_id: settlement, settled_amount: wireUsdc(amount) },
      }
    }
    case 'announced':
      return { type: 'ANNOUNCEMENT', title: 'Announcement', text: notice.text, raw: {} }
    default:
      return notice satisfies never
  }
}

type Of<Kind extends InboxNotice['kind']> = Extract<InboxNotice, { readonly kind: Kind }>

function filled(notice: Of<'filled'>, context: TradingContext, atMs: number): NoticeText {
  const { spec } = marketAt(context, notice)
  const { price, quantity, executed, ordered, order } = notice
  const side = sideOf(notice.side)
  const [whole, done] = [ordered, executed].map((steps) => decimal(steps * spec.step))
  const isWhole = executed === ordered
  return {
    type: isWhole ? 'ORDER_FILLED' : 'ORDER_PARTIALLY_FILLED',
    title: isWhole ? 'Your order has been filled' : 'Your order has been partially filled',
    text: `Your order to ${side.toLowerCase()} ${whole} ${marketName(spec.symbol)} has been filled: ${done}/${whole} at ${decimal(price * spec.tick)}.`,
    raw: {
      symbol: spec.symbol,
      side,
      order_id: order,
      executed_price: wirePrice(spec, price),
      executed_quantity: wireQuantity(spec, quantity),
      executed_timestamp: atMs,
    },
  }
}

function triggered(notice: Of<'triggered'>, context: TradingContext, atMs: number): NoticeText {
  const { spec } = marketAt(context, notice)
  const { order, type, price } = notice
  const side = sideOf(notice.side)
  const name = type.toLowerCase().replaceAll('_', ' ')
  return {
    type: 'ALGO_ORDER_TRIGGERED',
    title: 'Your order has been triggered',
    text: `Your ${name} order to ${side.toLowerCase()} ${marketName(spec.symbol)} was triggered at ${decimal(price * spec.tick)}.`,
    raw: {
      symbol: spec.symbol,
      side,
      algo_order_id: order,
      algo_type: type,
      trigger_price: wirePrice(spec, price),
      trigger_time: atMs,
    },
  }
}

function liquidated(
  { liquidation, markets, isDeleveraged }: Of<'liquidated'>,
  context: TradingContext,
): NoticeText {
  const symbols = markets.map((market) => marketAt(context, { market }).spec.symbol)
  const names = symbols.map(marketName).join(', ')
  return {
    type: isDeleveraged ? 'AUTO_DELEVERAGED' : 'LIQUIDATED',
    title: isDeleveraged ? 'Your position has been reduced' : 'You have been liquidated',
    text: isDeleveraged
      ? `Your position in ${names} was reduced to end another account's liquidation.`
      : `Your positions in ${names} were taken over: the margin was below the maintenance margin.`,
    raw: { liquidation_id: liquidation, symbols },
  }
}

/** The readable name of a market, for a symbol such as `PERP_BTC_USDC`. */
function marketName(symbol: string): string {
  return `${symbol.split('_')[1] ?? symbol}-PERP`
}

/** A value with eight decimals as the shortest text. */
function decimal(value: number): string {
  return formatDecimal(BigInt(value), 8)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
