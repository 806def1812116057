import { type AlgoRow, totalRow } from '../../engine/records/algos.ts'
import { marketAt, type Seat } from '../../exchange/seat.ts'
import { sideOf } from '../../orders/outcomes.ts'
import { periodOf, queryText } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'
import { statusOf } from '../orders/queries.ts'
import { isTriggered } from './shapes.ts'

/** Every algo order that is known of an account, open or over, newest first. */
export function allAlgos({ account, algos }: Seat): AlgoRow[] {
  const open = Array.from(account.algos.values(), totalRow)
  return [...open, ...algos].sort((a, b) => b.createdAtMs - a.createdAtMs || b.id - a.id)
}

/** The algo orders that a query selects, newest first. Throws -1005 on a status or type it does not know. */
export function chosenAlgos(seat: Seat, query: URLSearchParams): AlgoRow[] {
  const isWithin = periodOf(query)
  const hasStatus = statusOf(query)
  const isType = isOfType(queryText(query, 'algo_type'))
  const isSame = (name: string, value: string | null) => (queryText(query, name) ?? value) === value
  return allAlgos(seat).filter(
    (algo) =>
      isWithin(algo.createdAtMs) &&
      hasStatus(algo) &&
      isType(algo) &&
      isSame('symbol', marketAt(seat, algo).spec.symbol) &&
      isSame('side', sideOf(algo.side)) &&
      isSame('order_type', algo.type) &&
      isSame('order_tag', algo.orderTag) &&
      isSame('is_triggered', String(isTriggered(algo))),
  )
}

/** The kinds that a word stands for: STOP means those that stop a loss or take a profit too. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  STOP: ['STOP', 'TAKE_PROFIT', 'STOP_LOSS'],
  TP_SL: ['TP_SL'],
  TPSL: ['TP_SL'],
  POSITIONAL_TP_SL: ['POSITIONAL_TP_SL'],
  positional_TPSL: ['POSITIONAL_TP_SL'],
  BRACKET: ['BRACKET'],
  TRAILING_STOP: ['TRAILING_STOP'],
  TAKE_PROFIT: ['TAKE_PROFIT'],
  STOP_LOSS: ['STOP_LOSS'],
}

/** Whether an algo order is of the kinds that a word stands for; all are when there is none. Throws -1005. */
export function isOfType(word: string | null): (algo: { readonly algoType: string }) => boolean {
  if (word === null) return () => true
  const types = Object.hasOwn(TYPES, word) ? TYPES[word] : undefined
  if (!types) throw refusal('parameter', 'algo_type is invalid')
  return ({ algoType }) => types.includes(algoType)
}
