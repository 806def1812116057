import { type Exact, rowsOf, textOf } from '../../common/exact-json.ts'

/** Candles with newer ones, which replace those of the same time or follow them; oldest first. */
export function withRows(before: Exact, change: Exact): Exact {
  const fresh = rowsOf(change, 'rows')
  const changed = new Set(fresh.map((row) => textOf(row, 'timestamp')))
  const kept = rowsOf(before, 'rows').filter((row) => !changed.has(textOf(row, 'timestamp')))
  const rows = [...kept, ...fresh]
  return { rows: rows.sort((a, b) => timeOf(a) - timeOf(b)) }
}

function timeOf(row: Exact): number {
  return Number(textOf(row, 'timestamp'))
}
