import { marketAt, type TradingContext } from '../../exchange/trading-context.ts'
import { type AlgoRow, totalRow } from '../../history/algos.ts'
import { textNumber } from '../../history/past-rows.ts'
import type { Selected } from '../../history/row-list.ts'
import { matchesQuery, periodFilter, queryText } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { sideOf } from '../../messages/values.ts'
import { statusFilter } from './shapes.ts'

/** The part of an algo order with this id, and the part's root. Throws -1006 for an unknown id. */
export function withId(context: TradingContext, id: number) {
  const ended = context.lists.algos().findUpTo(id)
  return found([...openRoots(context), ...(ended ? [ended] : [])], (part) => part.id === id)
}

/** The newest part with this client id, and the part's root. Throws -1006 for an unknown id. */
export function withClientId(context: TradingContext, clientId: string) {
  const algos = context.lists.algos()
  const byLegs = algos.select({
    order: NEWEST_FIRST,
    isWanted: ({ legs }) => legs.includes(clientId),
  })
  const roots = [
    ...openRoots(context),
    ...algos.withReference(textNumber(clientId)),
    ...byLegs.rows(0, 1),
  ]
  roots.sort((a, b) => b.createdAtMs - a.createdAtMs || b.id - a.id)
  return found(roots, (part) => part.clientOrderId === clientId)
}

function found(roots: readonly AlgoRow[], isChosen: (algo: AlgoRow) => boolean) {
  for (const root of roots) {
    const algo = partIn(root, isChosen)
    if (algo) return { algo, root }
  }
  throw refusal('notFound')
}

function partIn(algo: AlgoRow, isChosen: (algo: AlgoRow) => boolean): AlgoRow | undefined {
  if (isChosen(algo)) return algo
  for (const child of algo.children) {
    const part = partIn(child, isChosen)
    if (part) return part
  }
  return undefined
}

function openRoots({ account }: TradingContext): AlgoRow[] {
  return Array.from(account.algos.values(), totalRow)
}

const NEWEST_FIRST = { by: 'atMs', isAscending: false } as const

/** The algo orders that a query selects, newest first. Throws -1005 for an unknown status or type. */
export function chosenAlgos(context: TradingContext, query: URLSearchParams): Selected<AlgoRow> {
  const hasStatus = statusFilter(query)
  const isType = isOfType(queryText(query, 'algo_type'))
  return context.lists.algos().select({
    order: NEWEST_FIRST,
    also: openRoots(context),
    isWithin: periodFilter(query),
    tag: queryText(query, 'order_tag'),
    isWanted: (facet) =>
      hasStatus(facet) &&
      isType(facet) &&
      matchesQuery(query, {
        symbol: marketAt(context, facet).spec.symbol,
        side: sideOf(facet.side),
        order_type: facet.type,
        is_triggered: String(facet.isTriggered),
      }),
  })
}

/** The kinds that each `algo_type` in a query selects. STOP also selects stop losses and take profits. */
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

/** Tests whether an algo order has a kind that `algo_type` selects; null selects all. Throws -1005 for another type. */
export function isOfType(name: string | null): (algo: { readonly algoType: string }) => boolean {
  if (name === null) return () => true
  const types = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined
  if (!types) throw refusal('parameter', 'algo_type is invalid')
  return ({ algoType }) => types.includes(algoType)
}
