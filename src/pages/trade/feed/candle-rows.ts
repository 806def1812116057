import { type Exact, memberRows, memberText } from '../../common/exact-json.ts'

/** Merges newer candles into older ones by time, oldest first. Newer candles replace older candles of the same time. */
export function withCandles(before: Exact, change: Exact): Exact {
  const fresh = memberRows(change, 'rows')
  const changed = new Set(fresh.map((row) => memberText(row, 'timestamp')))
  const kept = memberRows(before, 'rows').filter(
    (row) => !changed.has(memberText(row, 'timestamp')),
  )
  const rows = [...kept, ...fresh]
  return { rows: rows.sort((a, b) => candleTime(a) - candleTime(b)) }
}

function candleTime(row: Exact): number {
  return Number(memberText(row, 'timestamp'))
}
