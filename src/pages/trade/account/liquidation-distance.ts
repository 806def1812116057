import { relativeDistance } from '../../../perp/amounts.ts'
import type { AccountPosition } from './rows.ts'

/** The distance from the mark price to the liquidation price, as a fraction; null without a liquidation price. */
export function distanceToLiquidation({ mark, liquidation }: AccountPosition): bigint | null {
  return liquidation > 0n ? relativeDistance(mark, liquidation) : null
}
