import { type Exact, memberRows, memberText, memberValue } from '../../common/exact-json.ts'
import { displayDecimal } from '../../common/format.ts'
import { rowSide } from '../market/rows.ts'
import type { AccountOrder } from './rows.ts'

/**
 * A conditional order, which waits for the mark price, with its child orders. Numbers are amounts; size zero closes the
 * whole position.
 */
export type Conditional = Omit<AccountOrder, 'tag'> & {
  /**
   * The venue's kind, such as `STOP` or `TAKE_PROFIT`. `type`: the type of the order that the venue sends at the
   * trigger.
   */
  readonly kind: string
  /** The trigger price. Null for a trailing stop that has not started, and for an order whose children alone wait. */
  readonly trigger: bigint | null
  /** For a trailing stop: the distance as a fraction or in USDC, and the mark price at which the stop starts. */
  readonly callback: bigint | null
  readonly callbackValue: bigint | null
  readonly activation: bigint | null
  readonly isTriggered: boolean
  readonly children: readonly Conditional[]
}

/** The rows of `GET /v1/algo/orders`. */
export function conditionalOrders(answer: Exact): readonly Conditional[] {
  return memberRows(answer, 'rows').map(toConditional)
}

/** Parses one conditional order, such as the answer to `GET /v1/algo/order/{id}`. */
export function toConditional(row: Exact): Conditional {
  const value = (name: string) => {
    const text = memberText(row, name)
    return text === '' || displayDecimal(text) === 0n ? null : displayDecimal(text)
  }
  return {
    id: memberText(row, 'algo_order_id'),
    clientId: memberText(row, 'client_order_id'),
    symbol: memberText(row, 'symbol'),
    side: rowSide(row),
    kind: memberText(row, 'algo_type'),
    type: memberText(row, 'type'),
    status: memberText(row, 'algo_status'),
    price: value('price'),
    size: value('quantity') ?? 0n,
    executed: value('total_executed_quantity') ?? 0n,
    average: value('average_executed_price') ?? 0n,
    trigger: value('trigger_price'),
    callback: value('callback_rate'),
    callbackValue: value('callback_value'),
    activation: value('activated_price'),
    isReduceOnly: memberValue(row, 'reduce_only') === true,
    isIsolated: memberText(row, 'margin_mode') === 'ISOLATED',
    isTriggered: memberText(row, 'is_triggered') === 'true',
    atMs: Number(memberText(row, 'created_time')),
    children: memberRows(row, 'child_orders').map(toConditional),
  }
}
