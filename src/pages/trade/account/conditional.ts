import { type Exact, memberOf, rowsOf, textOf } from '../../common/exact-json.ts'
import { near } from '../../common/format.ts'
import { sideOf } from '../market/rows.ts'
import type { Order } from './rows.ts'

/** An order that waits for the mark, with its child orders; values are amounts. Size zero closes the whole position. */
export type Conditional = Omit<Order, 'tag'> & {
  /** The venue's name of its kind, such as `STOP` or `TAKE_PROFIT`; `type` is the order that is sent at its trigger. */
  readonly kind: string
  /** Null before a trailing stop has begun, and for an order whose children wait in its place. */
  readonly trigger: bigint | null
  /** For a trailing stop: the fraction or the distance that it stays behind, and the mark at which it begins. */
  readonly callback: bigint | null
  readonly callbackValue: bigint | null
  readonly activation: bigint | null
  readonly isTriggered: boolean
  readonly children: readonly Conditional[]
}

/** The rows of `GET /v1/algo/orders`. */
export function conditionalsOf(answer: Exact): readonly Conditional[] {
  return rowsOf(answer, 'rows').map(conditionalOf)
}

/** One conditional order, such as of `GET /v1/algo/order/{id}`. */
export function conditionalOf(row: Exact): Conditional {
  const value = (name: string) => {
    const text = textOf(row, name)
    return text === '' || near(text) === 0n ? null : near(text)
  }
  return {
    id: textOf(row, 'algo_order_id'),
    clientId: textOf(row, 'client_order_id'),
    symbol: textOf(row, 'symbol'),
    side: sideOf(row),
    kind: textOf(row, 'algo_type'),
    type: textOf(row, 'type'),
    status: textOf(row, 'algo_status'),
    price: value('price'),
    size: value('quantity') ?? 0n,
    executed: value('total_executed_quantity') ?? 0n,
    average: value('average_executed_price') ?? 0n,
    trigger: value('trigger_price'),
    callback: value('callback_rate'),
    callbackValue: value('callback_value'),
    activation: value('activated_price'),
    isReduceOnly: memberOf(row, 'reduce_only') === true,
    isIsolated: textOf(row, 'margin_mode') === 'ISOLATED',
    isTriggered: textOf(row, 'is_triggered') === 'true',
    atMs: Number(textOf(row, 'created_time')),
    children: rowsOf(row, 'child_orders').map(conditionalOf),
  }
}
