import { type Exact, rowsOf, textOf } from '../../common/exact-json.ts'
import { near } from '../../common/format.ts'
import { sideOf } from '../market/rows.ts'
import { withRows } from './live-rows.ts'

/** The fills of `GET /v1/trades`. */
export function fillsOf(answer: Exact) {
  return rowsOf(answer, 'rows').map((row) => ({
    id: textOf(row, 'id'),
    symbol: textOf(row, 'symbol'),
    side: sideOf(row),
    price: near(textOf(row, 'executed_price')),
    size: near(textOf(row, 'executed_quantity')),
    fee: near(textOf(row, 'fee')),
    pnl: near(textOf(row, 'realized_pnl')),
    isMaker: textOf(row, 'is_maker') === '1',
    atMs: Number(textOf(row, 'executed_timestamp')),
  }))
}

const FILLS_MAX = 100

/** Puts live rows of one market's fills before those of `GET /v1/trades`. */
export function withFills(symbol: string) {
  return (read: Exact, _topic: string, rows: readonly Exact[]) => {
    const own = rows.filter((row) => textOf(row, 'symbol') === symbol)
    const ids = new Set(own.map((row) => textOf(row, 'id')))
    const others = rowsOf(read, 'rows').filter((row) => !ids.has(textOf(row, 'id')))
    return { data: withRows(read, [...own, ...others].slice(0, FILLS_MAX)), isAll: true }
  }
}
