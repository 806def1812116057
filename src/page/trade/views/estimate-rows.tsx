import { divided } from '../../common/amounts.ts'
import { fixed, percent, placesOf } from '../../common/format.ts'
import { Pairs } from '../../common/pairs.tsx'
import { summary } from '../account/state.ts'
import { market, rule } from '../market/state.ts'
import { M } from '../messages/page.ts'
import { F } from '../messages/ticket.ts'
import { estimate, largest } from '../orders/draft.ts'

type Rows = readonly (readonly [string, string])[]

/** What the order would cost and leave, as rows. */
export function estimateRows(found: typeof estimate.value): Rows {
  if (!found) return []
  const places = placesOf(rule.peek()?.quoteTick ?? '0.01')
  const { price, value, taken, figures } = found
  const rows: Rows = [
    [F.estimate, fixed(price, places)],
    [F.value, `${fixed(value, 2)} USDC`],
  ]
  if (!figures) return rows
  const { fee, margin, liquidation } = figures
  const rate = value === 0n ? '' : ` (${percent(divided(fee, value, 'ceil'), 2).replace('+', '')})`
  return [
    ...rows,
    [F.fee, `${fixed(fee, 4)} USDC${rate}`],
    [F.margin, `${fixed(margin, 2)} USDC`],
    [F.liquidation, liquidation === null ? M.none : fixed(liquidation, places)],
    ...(taken > 0n ? [[F.fills, sizeOf(taken)] as const] : []),
  ]
}

function sizeOf(size: bigint): string {
  return `${fixed(size, placesOf(rule.peek()?.baseTick ?? '0.01'))} ${market.peek()?.base ?? ''}`
}

/** The estimates under the form, and what there is to trade with. */
export function EstimateRows() {
  const account = summary.value
  const means: Rows = account
    ? [
        [F.available, `${fixed(account.free, 2)} USDC`],
        [F.largest, sizeOf(largest.value)],
      ]
    : []
  return <Pairs rows={[...means, ...estimateRows(estimate.value)]} />
}
