import { marginOf } from '../margin/margin.ts'
import { watch } from '../margin/solvency.ts'
import type { Account } from '../state.ts'
import type { World } from '../world.ts'
import { cancelAll, crossPositions, liquidateIsolated, recordOf } from './liquidate.ts'
import type { Liquidation } from './record.ts'
import { takeOver } from './takeover.ts'

/**
 * Liquidates an account as a whole, whatever its margin: its orders of all kinds go, and all that it holds is taken over at the mark
 * with the fees of a liquidation. The insurance fund is never liquidated.
 */
export function liquidateWhole(world: World, account: Account, atMs: number): Liquidation[] {
  const { exchange } = world
  if (account.kind === 'fund') return []
  cancelAll(exchange, account, atMs)
  const isolated = account.exposures
    .values()
    .filter((exposure) => exposure.isolated && exposure.quantity !== 0)
  const records = [...isolated].map((exposure) => liquidateIsolated(world, exposure, atMs))
  const cross = crossPositions(account)
  if (cross.length > 0) {
    const record = recordOf(world, account, marginOf(account), false, atMs)
    for (const exposure of cross)
      takeOver(world, record, { exposure, quantity: exposure.quantity }, atMs)
    records.push(record)
  }
  watch(exchange, account)
  for (const record of records)
    for (const { liquidated } of exchange.observers) liquidated?.(record)
  return records
}
