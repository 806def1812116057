import { computed } from '@preact/signals'
import { toFloat } from '../../common/amounts.ts'
import { textOfExact } from '../../common/format.ts'
import { orders, positions } from '../account/state.ts'
import { symbol } from '../market/state.ts'
import { M } from '../messages/page.ts'
import type { OwnLine } from './charts.ts'

/** The reader's own orders, entry and liquidation price in the market that is shown. */
export const ownLines = computed<readonly OwnLine[]>(() => {
  const here = <T extends { readonly symbol: string }>(rows: readonly T[]) =>
    rows.filter((row) => row.symbol === symbol.value)
  const resting = here(orders.value).flatMap(({ id, side, price, size }) =>
    price === null
      ? []
      : [
          {
            key: id,
            price: toFloat(price),
            title: `${M.side[side]} ${textOfExact(size)}`,
            kind: side === 'BUY' ? 'up' : 'down',
          } as const,
        ],
  )
  const held = here(positions.value).flatMap(({ entry, liquidation }): OwnLine[] => {
    const lines = [
      { key: 'entry', price: toFloat(entry), title: M.chart.entry, kind: 'accent' } as const,
    ]
    if (liquidation <= 0n) return lines
    return [
      ...lines,
      { key: 'liquidation', price: toFloat(liquidation), title: M.chart.liquidation, kind: 'warn' },
    ]
  })
  return [...resting, ...held]
})
