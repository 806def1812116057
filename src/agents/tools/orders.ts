import { pick, rowsAt } from '../../core/json.ts'
import { accountRead } from '../account-call.ts'
import { orderByClientId } from '../orders/look-up.ts'
import { mayArriveUntilMs } from '../orders/send-once.ts'
import { pageAnswer } from '../results.ts'
import { rowCounts } from '../rows.ts'
import type { SignedContext, Tool } from '../tool.ts'
import {
  argumentSchema,
  choice,
  optional,
  orderArgument,
  pageArgument,
  since,
  sizeArgument,
  symbolFilter,
  text,
  until,
  wholeNumber,
} from '../tool-arguments.ts'
import { accountTool } from '../tool-kinds.ts'
import { cleanedPayload } from '../untrusted-text.ts'
import { shownAlgoOrder } from '../views/algo-orders.ts'
import { symbolIn } from '../views/market.ts'
import { readOrderedPage } from '../views/ordered-pages.ts'

const STATUSES = ['INCOMPLETE', 'COMPLETED'] as const

// biome-ignore format: read as a list
const ORDER_FIELDS = [
  'order_id', 'client_order_id', 'symbol', 'side', 'type', 'status', 'price', 'quantity', 'total_executed_quantity',
  'average_executed_price', 'visible_quantity', 'reduce_only', 'order_tag', 'total_fee', 'realized_pnl',
  'margin_mode', 'created_time', 'updated_time',
] as const

const listOrders = accountTool({
  name: 'list_orders',
  description:
    'Orders: INCOMPLETE rest on the book, COMPLETED are filled or cancelled. With client_order_id: that order in any state, stops and brackets too. Else stops and TP/SL: list_algo_orders.',
  arguments: argumentSchema({
    status: choice(STATUSES, 'Ignored with client_order_id.', 'INCOMPLETE'),
    symbol: optional(symbolFilter),
    client_order_id: optional(text('Among the newest 100.', { maxLength: 36 })),
    order: orderArgument,
    page: pageArgument,
    size: sizeArgument,
  }),
  untrusted: true,
  run: async (context, given) => {
    const symbol = await symbolIn(context, given.symbol)
    if (given.client_order_id !== undefined)
      return lookUpOrder(context, given.client_order_id, symbol)
    const { status, page: at, size: rowsMax } = given
    const sort_by = given.order === 'oldest' ? 'CREATED_TIME_ASC' : undefined
    const query = { status, symbol, page: at, size: rowsMax, sort_by }
    const answer = await accountRead(context, '/v1/orders', query)
    return paged(answer, { rows: 'orders', fields: ORDER_FIELDS, page: at, size: rowsMax })
  },
})

const getOrder = accountTool({
  name: 'get_order',
  description:
    'One order by order_id: status, executed quantity and average price. Without it: list_orders with client_order_id.',
  arguments: argumentSchema({
    order_id: wholeNumber('From place_order or list_orders.', { minimum: 1 }),
  }),
  hints: {
    not_found: 'No order of this account has this order_id. list_orders has those there are.',
  },
  untrusted: true,
  run: async (context, { order_id }) => {
    const answer = await accountRead(context, `/v1/order/${order_id}`)
    const [row] = rowsAt({ rows: [answer] }, 'rows')
    return cleanedPayload(row ? pick(row, ORDER_FIELDS) : answer)
  },
})

// biome-ignore format: read as a list
const FILL_FIELDS = [
  'id', 'order_id', 'symbol', 'side', 'executed_price', 'executed_quantity', 'executed_timestamp', 'fee', 'fee_asset',
  'realized_pnl', 'is_maker',
] as const

const listFills = accountTool({
  name: 'list_fills',
  description:
    'Your executed trades: price in USDC, quantity in the base asset, fee and realized_pnl (before fees) in USDC.',
  arguments: argumentSchema({
    symbol: optional(symbolFilter),
    start_t: optional(since),
    end_t: optional(until),
    order: orderArgument,
    page: pageArgument,
    size: sizeArgument,
  }),
  run: async (context, { symbol: word, start_t, end_t, ...at }) => {
    const symbol = await symbolIn(context, word)
    const query = { symbol, start_t, end_t }
    const answer = await readOrderedPage(at.order, at, (page, size) =>
      accountRead(context, '/v1/trades', { ...query, page, size }),
    )
    return paged(answer, { rows: 'fills', fields: FILL_FIELDS, page: at.page, size: at.size })
  },
})

const listAlgoOrders = accountTool({
  name: 'list_algo_orders',
  description: 'Stops, TP/SL, brackets and trailing orders, legs in child_orders.',
  arguments: argumentSchema({
    status: choice(STATUSES, 'COMPLETED: triggered or cancelled.', 'INCOMPLETE'),
    symbol: optional(symbolFilter),
    order: orderArgument,
    page: pageArgument,
    size: sizeArgument,
  }),
  hints: {
    not_found: 'This venue lacks algo orders: tell the user that stops cannot be set here.',
  },
  untrusted: true,
  run: async (context, { symbol: word, status, ...at }) => {
    const symbol = await symbolIn(context, word)
    const answer = await readOrderedPage(at.order, at, (page, size) =>
      accountRead(context, '/v1/algo/orders', { status, symbol, page, size }),
    )
    const orders = rowsAt(answer, 'rows').map((row) => shownAlgoOrder(row))
    return pageAnswer(orders, { rows: 'orders', ...at, ...rowCounts(answer) })
  },
})

/** Tools that read the caller's own orders and trades. */
export const ORDER_TOOLS: readonly Tool[] = [listOrders, getOrder, listFills, listAlgoOrders]

/** Looks up an ordinary or conditional order by its client_order_id. `state` is arrived, unknown or never_arrived. */
async function lookUpOrder(context: SignedContext, id: string, symbol: string | undefined) {
  const { row, isConditional, isWhole } = await orderByClientId(context, id, symbol)
  if (row) {
    const shown = isConditional ? shownAlgoOrder(row) : cleanedPayload(pick(row, ORDER_FIELDS))
    return { orders: [shown], shown: 1, state: 'arrived', next: ARRIVED }
  }
  const until = await mayArriveUntilMs(context, id)
  const absent = { orders: [], shown: 0 }
  if (until !== null && isWhole && context.clock.nowMs() > until)
    return { ...absent, state: 'never_arrived', next: NEVER_ARRIVED }
  const may_arrive_until = until === null ? {} : { may_arrive_until: until }
  return { ...absent, state: 'unknown', ...may_arrive_until, next: isWhole ? MISSING : HIDDEN }
}

const ARRIVED = 'The order arrived. Do not send it again.'
const NEVER_ARRIVED =
  'It did not arrive, and is too old to arrive now. A new order needs a new client_order_id.'
const MISSING =
  'Unknown: it can still arrive for five minutes after it was signed, until may_arrive_until of its failure. wait_for until=order_seen with client_order_id waits for it. Do not send it again before then.'
const HIDDEN =
  'Unknown: it is not among the newest 100 orders of either kind, and there are more. Pass symbol, or look through list_orders and list_algo_orders. Do not send it again.'

type Page = {
  readonly rows: string
  readonly fields: readonly string[]
  readonly page: number
  readonly size: number
}

function paged(answer: unknown, { fields, ...page }: Page) {
  const shown = rowsAt(answer, 'rows').map((row) => cleanedPayload(pick(row, fields)))
  return pageAnswer(shown, { ...page, ...rowCounts(answer) })
}
