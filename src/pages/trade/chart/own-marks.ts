import { computed, effect } from '@preact/signals'
import { amountNumber, amountText } from '../../../perp/amounts.ts'
import { themeChanges } from '../../common/theme.ts'
import type { Conditional } from '../account/conditional.ts'
import { accountFills, withFills } from '../account/fills.ts'
import { orderLeg } from '../account/legs.ts'
import type { AccountOrder } from '../account/rows.ts'
import { accountTopic, conditionals, heldPositions, orders, SLOW_MS } from '../account/state.ts'
import { followTopic } from '../feed/service.ts'
import { liveCandles, symbol, zoneOffsetMs } from '../market/state.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import type { ChartSurface } from './candle-chart.ts'
import { createFillMarks, type FillMark } from './fills.ts'
import { createOwnLines, type OwnLine } from './lines.ts'
import { positionLines } from './position-lines.ts'

/** The part of an order that a chart line shows. */
export type MovableName = 'price' | 'trigger' | 'TAKE_PROFIT' | 'STOP_LOSS'

const NAMES = ['price', 'trigger', 'TAKE_PROFIT', 'STOP_LOSS'] as const

/** The key of the line for an order's price or trigger. */
function lineKey(id: string, name: MovableName): string {
  return `${id} ${name}`
}

/** The order and its part that a line shows; null for a position's line. */
export function orderOfKey(
  key: string,
): { readonly id: string; readonly name: MovableName } | null {
  const [id = '', wanted] = key.split(' ')
  const name = NAMES.find((each) => each === wanted)
  return name ? { id, name } : null
}

/** Lines for the user's orders, triggers, entry and liquidation prices in the shown market. */
const ownLines = computed<readonly OwnLine[]>(() => {
  const here = <T extends { readonly symbol: string }>(rows: readonly T[]) =>
    rows.filter((row) => row.symbol === symbol.value)
  return [
    ...here(orders.value).flatMap(orderLine),
    ...here(conditionals.value).flatMap(triggerLines),
    ...positionLines(here(heldPositions.value)),
  ]
})

function orderLine({ id, side, price, size }: AccountOrder): readonly OwnLine[] {
  if (price === null) return []
  const title = `${PAGE_TEXTS.side[side]} ${amountText(size)}`
  const kind = side === 'BUY' ? 'up' : 'down'
  return [{ key: lineKey(id, 'price'), price: amountNumber(price), title, kind, canMove: true }]
}

/** The lines of a conditional order's triggers: stop, take-profit and stop-loss. */
function triggerLines(order: Conditional): readonly OwnLine[] {
  const line = (name: MovableName, at: bigint | null | undefined): readonly OwnLine[] => {
    if (!at) return []
    const kind = name === 'TAKE_PROFIT' ? 'up' : 'down'
    const title = PAGE_TEXTS.chart.triggers[name]
    const key = lineKey(order.id, name)
    return [{ key, price: amountNumber(at), title, kind, canMove: true, isTrigger: true }]
  }
  return [
    ...(order.kind === 'STOP' ? line('trigger', order.trigger) : []),
    ...line('TAKE_PROFIT', orderLeg(order, 'TAKE_PROFIT')?.trigger),
    ...line('STOP_LOSS', orderLeg(order, 'STOP_LOSS')?.trigger),
  ]
}

const fillsReading = followTopic(() =>
  symbol.value === ''
    ? null
    : accountTopic(`/v1/trades?symbol=${symbol.value}&page=1&size=100`, SLOW_MS, {
        topics: ['fills'],
        patched: withFills(symbol.value),
      }),
)

/** The user's trades in the shown market, each at its candle. */
export const fillMarks = computed<readonly FillMark[]>(() => {
  const times = liveCandles.value.map(({ time }) => time)
  return accountFills(fillsReading.value.data).flatMap(({ atMs, price, side }) => {
    const at = (atMs - zoneOffsetMs(atMs)) / 1000
    const time = times.findLast((each) => each <= at)
    return time === undefined ? [] : [{ time, price: amountNumber(price), isBuy: side === 'BUY' }]
  })
})

/** Draws the user's orders, positions and trades on a chart. Returns a function that removes the drawings. */
export function drawOwn(
  ground: ChartSurface,
  onMoved: (key: string, price: number) => void,
): () => void {
  const lines = createOwnLines(ground, onMoved)
  const fills = createFillMarks(ground)
  const ends = [
    effect(() => lines.mark(ownLines.value)),
    effect(() => fills(fillMarks.value)),
    effect(() => {
      if (themeChanges.value > 0) lines.repaint()
    }),
  ]
  return () => {
    for (const end of ends) end()
    lines.remove()
  }
}
