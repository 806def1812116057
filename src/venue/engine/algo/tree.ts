import type { Exchange } from '../exchange.ts'
import type { AlgoOrder, Exposure } from '../state.ts'

/** The order that a leg belongs to, at the top. */
export function rootOf(algo: AlgoOrder): AlgoOrder {
  return algo.parent ? rootOf(algo.parent) : algo
}

/** An algo order and everything below it. */
export function partsOf(algo: AlgoOrder): AlgoOrder[] {
  return [algo, ...algo.children.flatMap(partsOf)]
}

/** Whether it has legs in place of an order of its own. */
export function isGroup({ algoType }: Pick<AlgoOrder, 'algoType'>): boolean {
  return algoType === 'TP_SL' || algoType === 'POSITIONAL_TP_SL'
}

/** Whether something may still come of it. */
export function isAlive({ status }: Pick<AlgoOrder, 'status'>): boolean {
  return status === 'NEW' || status === 'PARTIAL_FILLED'
}

/** Whether neither it nor a leg of it has met its trigger. */
export function isUntriggered(algo: AlgoOrder): boolean {
  return partsOf(algo).every(({ triggeredAtMs }) => triggeredAtMs === null)
}

/** What its orders have executed so far, ended and open ones. */
export function executedOf({ executed, order }: Pick<AlgoOrder, 'executed' | 'order'>): number {
  return executed + (order?.executed ?? 0)
}

/** The open algo orders of an account in a market, in the order of their ids. */
export function algosOf(exposure: Exposure): AlgoOrder[] {
  return [...exposure.account.algos.values()]
    .filter((algo) => algo.exposure === exposure)
    .sort((a, b) => a.id - b.id)
}

/** Tells the observers how an algo order stands, as a whole. */
export function tellAlgo({ observers }: Exchange, algo: AlgoOrder): void {
  const root = rootOf(algo)
  for (const { algo: told } of observers) told?.(root)
}
