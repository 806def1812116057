import { type Exact, isRecord } from '../../common/exact-json.ts'

/**
 * Rows of the venue as a CSV text (RFC 4180): a column for each of their members under the venue's name, every number as
 * the venue wrote it. A text that a spreadsheet would run as a formula is quoted.
 */
export function csvOf(rows: readonly Exact[]): string {
  const records = rows.filter(isRecord)
  const names = [...new Set(records.flatMap((row) => Object.keys(row)))]
  const lines = records.map((row) => names.map((name) => cellOf(row[name] ?? null)))
  return [names.map(cellOf), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('')
}

const FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function cellOf(value: Exact): string {
  if (value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
