import { type Row, rowsAt } from '../../core/json.ts'
import { rowCounts } from '../rows.ts'

/** Reads one page of a list that the venue keeps newest first. */
type PageRead = (page: number, size: number) => Promise<unknown>

/**
 * Reads a page in the requested order from a list that the venue sorts only newest first. For the order from the oldest
 * row, pages are counted from the end. This takes up to three reads; the first gives the number of rows.
 */
export async function readOrderedPage(
  order: 'newest' | 'oldest',
  { page, size }: { readonly page: number; readonly size: number },
  read: PageRead,
): Promise<unknown> {
  if (order === 'newest') return read(page, size)
  const first = await read(1, size)
  const meta = rowCounts(first)
  const { total } = meta
  const end = Math.max(0, total - (page - 1) * size)
  const start = Math.max(0, end - size)
  const pages = end === 0 ? [] : pagesAround(start, end, size)
  const answers = await Promise.all(pages.map((at) => (at === 1 ? first : read(at, size))))
  const rows = answers.flatMap((answer): readonly Row[] => rowsAt(answer, 'rows'))
  const from = start - ((pages[0] ?? 1) - 1) * size
  return { rows: rows.slice(from, from + end - start).toReversed(), meta }
}

/** The one or two pages with the rows from `start` to `end` (exclusive). */
function pagesAround(start: number, end: number, size: number): number[] {
  const first = Math.floor(start / size) + 1
  const last = Math.ceil(end / size)
  return first === last ? [first] : [first, last]
}
