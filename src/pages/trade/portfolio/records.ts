import {
  type Exact,
  isRecord,
  memberRows,
  memberText,
  memberValue,
} from '../../common/exact-json.ts'

/** The histories of an account: path, and the maximum number of rows that the venue keeps (null: all). */
const RECORDS = {
  orders: { path: '/v1/orders', keptMax: null },
  fills: { path: '/v1/trades', keptMax: 500 },
  funding: { path: '/v1/funding_fee/history', keptMax: null },
  transfers: { path: '/v1/asset/history', keptMax: null },
} as const

export type RecordName = keyof typeof RECORDS

export const RECORD_NAMES = ['orders', 'fills', 'funding', 'transfers'] as const

/** Rows, latest first, and whether they are the complete history. */
export type History = { readonly rows: readonly Exact[]; readonly isWhole: boolean }

const SIZE = 500
/** Maximum pages per history, because the venue limits some of these reads to ten per minute. */
const PAGES_MAX = 4

/** Reads a history in pages of the venue's maximum size. Throws the errors of `read`. */
export async function readHistory(
  name: RecordName,
  read: (path: string) => Promise<Exact>,
): Promise<History> {
  const { path, keptMax } = RECORDS[name]
  const rows: Exact[] = []
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const answer = await read(`${path}?page=${page}&size=${SIZE}`)
    const found = memberRows(answer, 'rows')
    rows.push(...found)
    const total = Number(memberText(memberValue(answer, 'meta'), 'total'))
    if (found.length < SIZE || rows.length >= total)
      return { rows, isWhole: keptMax === null || rows.length < keptMax }
  }
  return { rows, isWhole: false }
}

/**
 * The venue's rows as CSV (RFC 4180): one column per member under the venue's name, with numbers as the venue sent
 * them. A text that a spreadsheet would run as a formula is quoted.
 */
export function csvText(rows: readonly Exact[]): string {
  const records = rows.filter(isRecord)
  const names = [...new Set(records.flatMap((row) => Object.keys(row)))]
  const lines = records.map((row) => names.map((name) => csvCell(row[name] ?? null)))
  return [names.map(csvCell), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('')
}

const FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function csvCell(value: Exact): string {
  if (value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
