import { relativeDistance } from '../../../perp/amounts.ts'
import type { AccountPosition } from './rows.ts'

/** The distance from the mark price to the liquidation price, as a fraction; null if one of them is unknown. */
export function distanceToLiquidation({ mark, liquidation }: AccountPosition): bigint | null {
  return mark > 0n && liquidation > 0n ? relativeDistance(mark, liquidation) : null
}
