import type { Exchange } from '../exchange.ts'
import { reducible } from '../matching/walk.ts'
import type { Exposure } from '../state.ts'
import { cancel } from './open.ts'

/** Cancels reduce-only orders that have nothing left to reduce. */
export function cancelIdle(exchange: Exchange, exposure: Exposure, atMs: number): void {
  if (!exposure.reducing) return
  for (const order of exposure.reducing)
    if (reducible(exposure, order.side) === 0) cancel(exchange, order, atMs)
}
