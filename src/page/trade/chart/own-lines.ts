import { computed } from '@preact/signals'
import { toFloat } from '../../common/amounts.ts'
import { textOfExact } from '../../common/format.ts'
import { type Conditional, legOf } from '../account/conditional.ts'
import type { Order, Position } from '../account/rows.ts'
import { conditionals, orders, positions } from '../account/state.ts'
import { symbol } from '../market/state.ts'
import { M } from '../messages/page.ts'
import { keyOf, type MovableName } from './line-keys.ts'
import type { OwnLine } from './lines.ts'

/** The reader's own orders, triggers, entry and liquidation price in the market that is shown. */
export const ownLines = computed<readonly OwnLine[]>(() => {
  const here = <T extends { readonly symbol: string }>(rows: readonly T[]) =>
    rows.filter((row) => row.symbol === symbol.value)
  return [
    ...here(orders.value).flatMap(orderLine),
    ...here(conditionals.value).flatMap(triggerLines),
    ...here(positions.value).flatMap(positionLines),
  ]
})

function orderLine({ id, side, price, size }: Order): readonly OwnLine[] {
  if (price === null) return []
  const title = `${M.side[side]} ${textOfExact(size)}`
  const kind = side === 'BUY' ? 'up' : 'down'
  return [{ key: keyOf(id, 'price'), price: toFloat(price), title, kind, canMove: true }]
}

/** The trigger of a stop, and those of a take profit and a stop loss. */
function triggerLines(order: Conditional): readonly OwnLine[] {
  const line = (name: MovableName, at: bigint | null | undefined): readonly OwnLine[] => {
    if (!at) return []
    const kind = name === 'TAKE_PROFIT' ? 'up' : 'down'
    const title = M.chart.triggers[name]
    const key = keyOf(order.id, name)
    return [{ key, price: toFloat(at), title, kind, canMove: true, isTrigger: true }]
  }
  return [
    ...(order.kind === 'STOP' ? line('trigger', order.trigger) : []),
    ...line('TAKE_PROFIT', legOf(order, 'TAKE_PROFIT')?.trigger),
    ...line('STOP_LOSS', legOf(order, 'STOP_LOSS')?.trigger),
  ]
}

function positionLines({ entry, liquidation }: Position): readonly OwnLine[] {
  const line = (name: 'entry' | 'liquidation', at: bigint, kind: OwnLine['kind']) => ({
    ...{ key: name, price: toFloat(at), title: M.chart[name], kind, canMove: false },
  })
  const held = line('entry', entry, 'accent')
  return liquidation > 0n ? [held, line('liquidation', liquidation, 'warn')] : [held]
}
