import { type Row, rowsAt } from '../../core/json.ts'
import { numberAt } from './ledger.ts'
import type { EvaluationWorld } from './world.ts'

/** The account at the end of the run. */
export type EndState = {
  readonly positions: number
  readonly openOrders: number
  readonly conditionalOrders: number
  /** Number of positions without an open stop-loss for their whole size. */
  readonly unprotected: number
}

export async function readEndState(world: Pick<EvaluationWorld, 'read'>): Promise<EndState> {
  const [positions, orders, conditional] = await world.read(
    '/v1/positions',
    '/v1/orders?status=INCOMPLETE&size=500',
    '/v1/algo/orders?status=INCOMPLETE&size=500',
  )
  const held = rowsAt(positions, 'rows').filter((row) => numberAt(row, 'position_qty') !== 0)
  return {
    positions: held.length,
    openOrders: rowsAt(orders, 'rows').length,
    conditionalOrders: rowsAt(conditional, 'rows').length,
    unprotected: held.filter((position) => !hasStopLoss(position, rowsAt(conditional, 'rows')))
      .length,
  }
}

/** Whether a stop-loss of the opposite side, in the position's market and margin mode, closes the whole position. */
function hasStopLoss(position: Row, conditional: readonly Row[]): boolean {
  const held = numberAt(position, 'position_qty')
  const stops = conditional
    .flatMap((row) => [row, ...rowsAt(row, 'child_orders')])
    .filter((row) => row['algo_type'] === 'STOP_LOSS')
    .filter((row) => ['symbol', 'margin_mode'].every((field) => row[field] === position[field]))
    .filter((row) => row['side'] === (held > 0 ? 'SELL' : 'BUY'))
  return stops.some(
    (row) => row['type'] === 'CLOSE_POSITION' || numberAt(row, 'quantity') >= Math.abs(held),
  )
}
