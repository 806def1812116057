import { toAmount } from '../../../perp/amounts.ts'
import { type Exact, memberRows, memberText } from '../../common/exact-json.ts'
import { displayDecimal } from '../../common/format.ts'
import { rowSide } from '../market/rows.ts'
import { withRows } from './live-rows.ts'

/** The fills of `GET /v1/trades`. */
export function accountFills(answer: Exact) {
  return memberRows(answer, 'rows').map((row) => ({
    id: memberText(row, 'id'),
    symbol: memberText(row, 'symbol'),
    side: rowSide(row),
    price: displayDecimal(memberText(row, 'executed_price')),
    size: displayDecimal(memberText(row, 'executed_quantity')),
    /** The fee in its own token; null if unknown. */
    fee: toAmount(memberText(row, 'fee')),
    feeToken: memberText(row, 'fee_asset'),
    pnl: toAmount(memberText(row, 'realized_pnl')),
    isMaker: memberText(row, 'is_maker') === '1',
    atMs: Number(memberText(row, 'executed_timestamp')),
  }))
}

const FILLS_MAX = 100

/** Puts one market's live fills before the fills of `GET /v1/trades`, without duplicates. */
export function withFills(symbol: string) {
  return (read: Exact, _topic: string, rows: readonly Exact[]) => {
    const own = rows.filter((row) => memberText(row, 'symbol') === symbol)
    const ids = new Set(own.map((row) => memberText(row, 'id')))
    const others = memberRows(read, 'rows').filter((row) => !ids.has(memberText(row, 'id')))
    return { data: withRows(read, [...own, ...others].slice(0, FILLS_MAX)), isAll: true }
  }
}
