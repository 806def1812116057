import type { AlgoRequest } from '../../../../src/simulator/state/algo-terms.ts'
import { closable, marketOf, modeOf, type Reference, type RefOrder, type Slot } from './book.ts'
import { place } from './orders.ts'

/** An algo order once more, as its rules read: everything is looked at again after every operation. */
export type RefAlgo = Slot & {
  readonly id: number
  readonly request: AlgoRequest
  readonly children: RefAlgo[]
  readonly orders: RefOrder[]
  parent: RefAlgo | null
  follows: RefAlgo | null
  quantity: number
  trigger: number
  isAbove: boolean
  isWaiting: boolean
  isActivated: boolean
  extreme: number
  wasTriggered: boolean
  status: string
}

/** The reference with its algo orders. */
export type Algos = { readonly ref: Reference; readonly all: RefAlgo[]; sequence: number }

export const partsOf = (algo: RefAlgo): RefAlgo[] => [algo, ...algo.children.flatMap(partsOf)]
export const isAlive = ({ status }: RefAlgo) => status === 'NEW' || status === 'PARTIAL_FILLED'
export const executedOf = ({ orders }: RefAlgo) =>
  orders.reduce((sum, { executed }) => sum + Number(executed), 0)
export const isGroup = ({ request }: RefAlgo) => request.algoType.endsWith('TP_SL')
export const isUntriggered = (algo: RefAlgo) =>
  partsOf(algo).every(({ wasTriggered }) => !wasTriggered)
export const isEnded = ({ status }: RefOrder) => status === 'FILLED' || status === 'CANCELLED'

/** Roots of which a part may still come to something. */
export const openRoots = ({ all }: Algos, { owner, market, isolated }: Partial<Slot> = {}) =>
  all.filter(
    (algo) =>
      algo.parent === null &&
      partsOf(algo).some(isAlive) &&
      (owner === undefined || algo.owner === owner) &&
      (market === undefined || algo.market === market) &&
      (isolated === undefined || algo.isolated === isolated),
  )

export function placeAlgo(
  algos: Algos,
  owner: number,
  market: number,
  request: AlgoRequest,
): RefAlgo | string {
  const { ref } = algos
  const slot = { owner, market, isolated: modeOf(ref, { owner, market, ...request }) }
  const { side, algoType } = request
  const isPositional = algoType === 'POSITIONAL_TP_SL'
  if (isPositional && closable(ref, { ...slot, side }) === 0n) return 'rejected'
  const broken = breaksSize(ref, market, request)
  if (broken) return broken
  const open = openRoots(algos, { owner })
  if (open.length >= 100) return 'rejected'
  const groups = open.flatMap(partsOf).filter(isUntriggered)
  const isTpSl = [request, ...request.children].some((part) => part.algoType === 'TP_SL')
  if (isTpSl && groups.filter((part) => part.request.algoType === 'TP_SL').length >= 10)
    return 'rejected'
  if (isPositional && rivalsOf(algos, slot, side).some(isUntriggered)) return 'duplicate'
  let order: RefOrder | string | null = null
  if (algoType === 'BRACKET') order = send(algos, slot, request, request.quantity)
  if (typeof order === 'string') return order
  const root = newAlgo(algos, slot, request, null)
  if (order) root.orders.push(order)
  else for (const part of partsOf(root)) part.isWaiting = !isGroup(part)
  return root
}

function newAlgo(algos: Algos, slot: Slot, request: AlgoRequest, parent: RefAlgo | null): RefAlgo {
  const { algoType, side, trigger, quantity } = request
  const mark = Number(marketOf(algos.ref, slot.market).mark)
  const isLoss = algoType === 'STOP_LOSS' || algoType === 'TRAILING_STOP'
  algos.sequence += 1
  const algo: RefAlgo = {
    ...{ ...slot, id: algos.sequence, request, parent, quantity, trigger },
    children: [],
    orders: [],
    follows: null,
    isAbove: algoType === 'TAKE_PROFIT' ? side === -1 : isLoss ? side === 1 : trigger >= mark,
    isWaiting: false,
    isActivated: algoType !== 'TRAILING_STOP',
    extreme: 0,
    wasTriggered: false,
    status: 'NEW',
  }
  algos.all.push(algo)
  for (const child of request.children) algo.children.push(newAlgo(algos, slot, child, algo))
  return algo
}

function breaksSize(ref: Reference, market: number, request: AlgoRequest): string | null {
  const { spec, mark } = marketOf(ref, market)
  const isBracket = request.algoType === 'BRACKET'
  const parts = isBracket
    ? request.children.flatMap(({ children }) => children)
    : [request, ...request.children]
  for (const { quantity, price, trigger, reduceOnly } of parts) {
    if (quantity === 0) continue
    if (quantity < spec.quantityMin || quantity > spec.quantityMax) return 'size'
    const value = BigInt(price || trigger || Number(mark)) * BigInt(quantity) * BigInt(spec.unit)
    if (!reduceOnly && value < BigInt(spec.notionalMin)) return 'notional'
  }
  return null
}

export function rivalsOf(algos: Algos, slot: Slot, side: number): RefAlgo[] {
  return openRoots(algos, slot).filter(
    ({ request }) => request.algoType === 'POSITIONAL_TP_SL' && request.side === side,
  )
}

/** Places what an algo order sends. */
export function send(
  { ref }: Algos,
  { owner, market, isolated }: Slot,
  { side, type, price, reduceOnly }: AlgoRequest,
  quantity: number,
): RefOrder | string {
  const sent = type === 'LIMIT' ? 'LIMIT' : 'MARKET'
  const rest = { visible: null, slippage: null, level: 0, adjusts: false }
  return place(ref, {
    owner,
    market,
    side,
    type: sent,
    price,
    quantity,
    reduceOnly,
    isolated,
    ...rest,
  })
}

/** Cancels a part with all below it. */
export function cancelAlgo(algo: RefAlgo): void {
  for (const part of partsOf(algo)) {
    if (!isAlive(part)) continue
    for (const order of part.orders) if (!isEnded(order)) order.status = 'CANCELLED'
    part.status = 'CANCELLED'
    part.isWaiting = false
  }
  for (let up = algo.parent; up; up = up.parent) tidy(up)
  tidy(algo)
}

/** Gives a part another trigger: null, or the name of the refusal. */
export function editTrigger({ ref }: Algos, algo: RefAlgo, trigger: number): string | null {
  const { request, market } = algo
  const isBracket = request.algoType === 'BRACKET'
  if (!isAlive(algo) || (algo.wasTriggered && !isBracket)) return 'notFound'
  if (algo.trigger === 0 || request.algoType === 'TRAILING_STOP') return 'parameter'
  algo.trigger = trigger
  if (request.algoType === 'STOP') algo.isAbove = trigger >= Number(marketOf(ref, market).mark)
  return null
}

/** A group stands as its legs do. */
export function tidy(algo: RefAlgo): void {
  for (const child of algo.children) tidy(child)
  if (!isGroup(algo)) return
  const legs = algo.children
  if (legs.some(isAlive))
    algo.status = legs.some((leg) => executedOf(leg) > 0) ? 'PARTIAL_FILLED' : 'NEW'
  else if (legs.some(({ status }) => status === 'FILLED')) algo.status = 'FILLED'
  else algo.status = legs.every(({ status }) => status === 'REJECTED') ? 'REJECTED' : 'CANCELLED'
}
