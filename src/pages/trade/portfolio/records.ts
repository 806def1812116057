import { POSITIONS } from '../../../perp/figure-reads.ts'
import {
  type Exact,
  isRecord,
  memberRows,
  memberText,
  memberValue,
} from '../../common/exact-json.ts'

/** How a list of an account is read. */
type RecordSource = {
  readonly path: string
  /** The maximum number of rows that the venue keeps or answers; without it, all rows. */
  readonly keptMax?: number
  /** Whether the venue answers all rows at once. */
  readonly isOnePage?: true
  /** The member of the answer that has the rows. */
  readonly member?: string
}

/** The lists of an account that are saved as files. */
const RECORDS = {
  orders: { path: '/v1/orders' },
  fills: { path: '/v1/trades', keptMax: 500 },
  funding: { path: '/v1/funding_fee/history' },
  transfers: { path: '/v1/asset/history' },
  positions: { path: POSITIONS, isOnePage: true },
  'open-orders': { path: '/v1/orders?status=INCOMPLETE' },
  'conditional-orders': { path: '/v1/algo/orders?status=INCOMPLETE' },
  'order-history': { path: '/v1/orders?status=COMPLETED' },
  'closed-positions': { path: '/v1/position_history?limit=500', keptMax: 500, isOnePage: true },
  balances: { path: '/v1/client/holding', isOnePage: true, member: 'holding' },
} as const satisfies Record<string, RecordSource>

export type RecordName = keyof typeof RECORDS

/** The records that the portfolio offers. */
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
  const { path, keptMax = Infinity, isOnePage, member = 'rows' }: RecordSource = RECORDS[name]
  if (isOnePage) {
    const rows = memberRows(await read(path), member)
    return { rows, isWhole: rows.length < keptMax }
  }
  const rows: Exact[] = []
  const query = `${path}${path.includes('?') ? '&' : '?'}`
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const answer = await read(`${query}page=${page}&size=${SIZE}`)
    const found = memberRows(answer, member)
    rows.push(...found)
    const total = Number(memberText(memberValue(answer, 'meta'), 'total'))
    if (found.length < SIZE || rows.length >= total) return { rows, isWhole: rows.length < keptMax }
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
