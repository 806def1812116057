import type { Exchange } from '../exchange.ts'
import { type AlgoOrder, isOpen } from '../state.ts'
import { partsIn } from './checks.ts'
import { isAlive, isGroup, partsOf } from './tree.ts'

/** Every broken invariant of the algo orders, in words. Changes nothing. */
export function checkAlgos({ accounts, markets, triggered }: Exchange): string[] {
  return [
    ...accounts.flatMap(({ algos }) => [...algos.values()].flatMap(checkRoot)),
    ...accounts.flatMap(partsIn).flatMap((part) => (triggered.has(part) ? [] : checkPart(part))),
    ...markets.flatMap(({ armed }) =>
      [...armed].filter((part) => !waits(part)).map(({ id }) => `algo ${id} is armed and over`),
    ),
  ]
}

/** An open algo order has a part that is, and its parts know it. */
function checkRoot(root: AlgoOrder): string[] {
  const isWrong = (algo: AlgoOrder) => algo.children.some(({ parent }) => parent !== algo)
  return [
    ...(partsOf(root).some(isAlive) ? [] : [`algo ${root.id} is open and over`]),
    ...(root.parent === null ? [] : [`algo ${root.id} is a root and a leg`]),
    ...partsOf(root)
      .filter(isWrong)
      .map(({ id }) => `algo ${id} has legs of another`),
  ]
}

/** What was sent is open; what waits looks at a mark that has not met its trigger, and is looked at when one does. */
function checkPart(part: AlgoOrder): string[] {
  const { id, exposure, order, trigger, isAbove } = part
  const { mark, armed, idleLow, idleHigh } = exposure.market
  if (order && !isOpen(order)) return [`algo ${id} has an order that is over`]
  if (armed.has(part) !== waits(part)) return [`algo ${id} waits, but looks at no mark`]
  if (!armed.has(part) || !part.isActivated) return []
  if (isAbove ? mark >= trigger : mark <= trigger) return [`algo ${id} was not triggered`]
  const isAsleep = isAbove ? idleHigh > trigger : idleLow < trigger
  return isAsleep ? [`algo ${id} would miss its trigger`] : []
}

/** Whether a part compares marks with its trigger, or its activation. */
function waits(part: AlgoOrder): boolean {
  const { algoType, triggeredAtMs, isActivated } = part
  const isReady = isActivated || algoType === 'TRAILING_STOP'
  return isAlive(part) && !isGroup(part) && triggeredAtMs === null && isReady
}
