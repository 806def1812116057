import {
  type Exact,
  isRecord,
  memberRows,
  memberText,
  memberValue,
} from '../../common/exact-json.ts'

/** The histories of an account: the venue's path of each, and the number of rows it keeps if it does not keep all. */
const RECORDS = {
  orders: { path: '/v1/orders', keptMax: null },
  fills: { path: '/v1/trades', keptMax: 500 },
  funding: { path: '/v1/funding_fee/history', keptMax: null },
  transfers: { path: '/v1/asset/history', keptMax: null },
} as const

export type RecordName = keyof typeof RECORDS

export const RECORD_NAMES = ['orders', 'fills', 'funding', 'transfers'] as const

/** Rows, the latest first, and whether these are all that there ever were. */
export type History = { readonly rows: readonly Exact[]; readonly isWhole: boolean }

const SIZE = 500
/** Some of these reads are limited to ten per minute. */
const PAGES_MAX = 4

/** A history, in pages of the venue's maximum size. Throws what `read` throws. */
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
 * Rows of the venue as a CSV text (RFC 4180): a column for each member under the venue's name, every number as the
 * venue wrote it. A text that a spreadsheet would run as a formula is quoted.
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
