import {
  type Algos,
  cancelAlgo,
  executedOf,
  isAlive,
  isEnded,
  isGroup,
  isUntriggered,
  openRoots,
  partsOf,
  type RefAlgo,
  rivalsOf,
  send,
  tidy,
} from './algos.ts'
import { closable, divided, leftOf, marketOf, ONE, type Slot } from './book.ts'

/** Draws everything that follows from marks, orders and positions; `liquidate` answers whether it had to. */
export function settleAlgos(algos: Algos, liquidate: () => void): void {
  for (let isDone = false; !isDone; ) {
    liquidate()
    const due = algos.all.filter((algo) => isMet(algos, algo)).sort((a, b) => a.id - b.id)
    for (const algo of due) algo.isWaiting = false
    for (const algo of due) {
      for (const root of openRoots(algos, slotOf(algo))) review(algos, root)
      fire(algos, algo)
    }
    const before = JSON.stringify(algos.all.map(stateOf))
    const roots = openRoots(algos).sort(
      (a, b) =>
        a.owner - b.owner ||
        a.market - b.market ||
        Number(a.isolated) - Number(b.isolated) ||
        a.id - b.id,
    )
    for (const root of roots) review(algos, root)
    isDone = due.length === 0 && before === JSON.stringify(algos.all.map(stateOf))
  }
}

function slotOf({ owner, market, isolated }: Slot): Slot {
  return { owner, market, isolated }
}

function stateOf(algo: RefAlgo): string {
  const { status, quantity, trigger, wasTriggered, parent } = algo
  return [status, quantity, trigger, wasTriggered, parent?.id ?? 0, executedOf(algo)].join()
}

function isMet({ ref }: Algos, algo: RefAlgo): boolean {
  if (!algo.isWaiting) return false
  const mark = Number(marketOf(ref, algo.market).mark)
  if (algo.request.algoType === 'TRAILING_STOP') trail(algo, mark)
  return algo.isActivated && (algo.isAbove ? mark >= algo.trigger : mark <= algo.trigger)
}

function trail(algo: RefAlgo, mark: number): void {
  const { side, activation, callbackRate, callbackTicks } = algo.request
  const isBetter = (than: number) => (side === -1 ? mark >= than : mark <= than)
  if (!algo.isActivated) {
    if (activation !== 0 && !isBetter(activation)) return
    algo.isActivated = true
    algo.extreme = mark
  }
  if (isBetter(algo.extreme)) algo.extreme = mark
  const exact = BigInt(algo.extreme) * (ONE + BigInt(side) * BigInt(callbackRate))
  const behind = Number(divided(exact, ONE, side === 1 ? 'floor' : 'ceil'))
  algo.trigger = Math.max(1, callbackTicks > 0 ? algo.extreme + side * callbackTicks : behind)
}

function fire(algos: Algos, algo: RefAlgo): void {
  if (!isAlive(algo)) return
  const { ref } = algos
  const { market, request } = algo
  algo.wasTriggered = true
  if (request.type !== 'CLOSE_POSITION') {
    const order = send(algos, algo, request, algo.quantity)
    if (typeof order === 'string') algo.status = 'REJECTED'
    else algo.orders.push(order)
    return
  }
  const held = () => Number(closable(ref, { ...slotOf(algo), side: request.side }))
  algo.quantity = held()
  while (held() > 0) {
    const quantity = Math.min(held(), marketOf(ref, market).spec.quantityMax)
    const order = send(algos, algo, request, quantity)
    if (typeof order === 'string') break
    algo.orders.push(order)
    if (leftOf(order) > 0n) break
  }
  const executed = executedOf(algo)
  if (executed > 0) algo.status = executed === algo.quantity ? 'FILLED' : 'CANCELLED'
  else algo.status = algo.quantity > 0 ? 'REJECTED' : 'CANCELLED'
}

function review(algos: Algos, root: RefAlgo): void {
  for (const part of partsOf(root)) {
    const order = part.orders.at(-1)
    if (!order || !isAlive(part) || part.request.type === 'CLOSE_POSITION') continue
    if (isEnded(order)) part.status = order.status
    else if (order.executed > 0n) part.status = 'PARTIAL_FILLED'
  }
  const [leg] = root.children
  if (root.request.algoType === 'BRACKET' && leg && isAlive(leg)) {
    if (executedOf(root) > 0) release(algos, root, leg)
    else if (!isAlive(root)) cancelAlgo(leg)
  }
  const { follows } = root
  if (follows) {
    for (const part of partsOf(root)) if (!part.wasTriggered) part.quantity = executedOf(follows)
    if (!isAlive(follows)) root.follows = null
  }
  tidy(root)
  if (!isGroup(root) || !isAlive(root)) return
  const isSpent = root.children.some((part) => !isAlive(part) && executedOf(part) > 0)
  const { request } = root
  const isOver =
    request.algoType === 'POSITIONAL_TP_SL' &&
    closable(algos.ref, { ...slotOf(root), side: request.side }) === 0n
  if (isSpent || isOver) cancelAlgo(root)
}

function release(algos: Algos, bracket: RefAlgo, leg: RefAlgo): void {
  const isTpSl = leg.request.algoType === 'TP_SL'
  const rivals = isTpSl ? [] : rivalsOf(algos, leg, leg.request.side)
  bracket.children.splice(0)
  leg.parent = null
  leg.follows = isTpSl ? bracket : null
  if (rivals.some((rival) => !isUntriggered(rival))) {
    cancelAlgo(leg)
    return
  }
  for (const rival of rivals) cancelAlgo(rival)
  if (isTpSl) for (const part of partsOf(leg)) part.quantity = executedOf(bracket)
  if (isTpSl && !isAlive(bracket)) leg.follows = null
  for (const child of leg.children) child.isWaiting = isAlive(child)
}
