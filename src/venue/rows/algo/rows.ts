import { partsIn } from '../../engine/algo/place.ts'
import { type AlgoRow, totalRow } from '../../engine/records/algos.ts'
import type { AlgoOrder } from '../../engine/state.ts'
import { marketAt, type Seat } from '../../exchange/seat.ts'
import type { Exchange } from '../../exchange/state.ts'
import { cancelAlgo, cancelAlgos, editAlgo, placeAlgo } from '../../orders/algo.ts'
import { parseAlgo } from '../../orders/algo-request.ts'
import { parseBody } from '../../wire/body.ts'
import { pageOf, positive, queryText, requiredQuery } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'
import type { VenueRow } from '../../wire/row.ts'
import { tradeShape } from '../orders/shapes.ts'
import { type SeatAnswer, seatRow } from '../private.ts'
import { allAlgos, chosenAlgos, isOfType } from './queries.ts'
import { algoAcknowledgement, algoShape } from './shapes.ts'

/** Algo orders. Reads need the scope `read`, everything that changes one `trading`. */
export function algoRows({ exchange }: { readonly exchange: Exchange }): readonly VenueRow[] {
  return [...writeRows(exchange), ...readRows(exchange)]
}

function writeRows(exchange: Exchange): readonly VenueRow[] {
  const row = (method: 'POST' | 'PUT' | 'DELETE', path: string, answer: SeatAnswer) =>
    seatRow(exchange, { method, path, scope: 'trading' }, answer)
  return [
    row('POST', '/v1/algo/order', (seat, { body, nowMs }) => {
      const algo = placeAlgo(seat, parseAlgo(parseBody(body), seat), nowMs)
      return algoAcknowledgement(totalRow(algo), algo.exposure.market)
    }),
    row('PUT', '/v1/algo/order', (seat, { body, nowMs }) => {
      editAlgo(seat, parseBody(body), nowMs)
      return { status: 'EDIT_SENT' }
    }),
    row('DELETE', '/v1/algo/order', (seat, { query, nowMs }) => {
      requiredQuery(query, 'order_id')
      const id = positive(query, 'order_id', 0)
      return cancelOne(seat, query, (algo) => algo.id === id, nowMs)
    }),
    row('DELETE', '/v1/algo/client/order', (seat, { query, nowMs }) => {
      const id = requiredQuery(query, 'client_order_id')
      return cancelOne(seat, query, ({ clientOrderId }) => clientOrderId === id, nowMs)
    }),
    row('DELETE', '/v1/algo/orders', (seat, { query, nowMs }) => {
      const symbol = queryText(query, 'symbol')
      const isType = isOfType(queryText(query, 'algo_type'))
      const isChosen = (algo: AlgoOrder) =>
        (symbol === null || algo.exposure.market.spec.symbol === symbol) && isType(algo)
      cancelAlgos(seat, isChosen, nowMs)
      return { status: 'CANCEL_ALL_SENT' }
    }),
  ]
}

function cancelOne(
  seat: Seat,
  query: URLSearchParams,
  isChosen: (algo: AlgoOrder) => boolean,
  nowMs: number,
) {
  const symbol = requiredQuery(query, 'symbol')
  const algo = partsIn(seat.account).find(isChosen)
  cancelAlgo(seat, algo?.exposure.market.spec.symbol === symbol ? algo : undefined, nowMs)
  return { status: 'CANCEL_SENT' }
}

function readRows(exchange: Exchange): readonly VenueRow[] {
  const row = (path: string, answer: SeatAnswer) =>
    seatRow(exchange, { method: 'GET', path, scope: 'read' }, answer)
  return [
    row('/v1/algo/order/{order_id}', (seat, { params }) => {
      const id = Number(params['order_id'])
      return shapeOf(seat, (algo) => algo.id === id)
    }),
    row('/v1/algo/order/{order_id}/trades', (seat, { params }) => {
      const id = Number(params['order_id'])
      const { orders } = found(seat, (algo) => algo.id === id).algo
      const trades = seat.records.trades.filter(({ order }) => orders.includes(order)).reverse()
      return { rows: trades.map((trade) => tradeShape(trade, marketAt(seat, trade))) }
    }),
    row('/v1/algo/client/order/{client_order_id}', (seat, { params }) =>
      shapeOf(seat, ({ clientOrderId }) => clientOrderId === params['client_order_id']),
    ),
    row('/v1/algo/orders', (seat, { query }) => {
      const { meta, rows } = pageOf(chosenAlgos(seat, query), query)
      return { meta, rows: rows.map((algo) => algoShape(algo, marketAt(seat, algo))) }
    }),
  ]
}

function shapeOf(seat: Seat, isChosen: (algo: AlgoRow) => boolean): object {
  const { algo, root } = found(seat, isChosen)
  return algoShape(algo, marketAt(seat, algo), root)
}

/** The first part that is chosen of the newest order that has one. Throws -1006 when there is none. */
function found(seat: Seat, isChosen: (algo: AlgoRow) => boolean) {
  for (const root of allAlgos(seat)) {
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
