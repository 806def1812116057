/** Rows read at a time. */
const PAGE_ROWS = 1000

/**
 * Walks a table a page at a time, in the order of its key. No statement is open between pages, so a caller who stops
 * half way, or writes meanwhile, holds nothing back (an open cursor keeps the write-ahead log from ever shrinking).
 */
export function* paged<Row extends { readonly key: string }>(
  page: (after: string, rowsMax: number) => readonly Row[],
  rowsMax: number = PAGE_ROWS,
): Generator<Row, void, undefined> {
  let after = ''
  for (;;) {
    const rows = page(after, rowsMax)
    yield* rows
    if (rows.length < rowsMax) return
    after = rows.at(-1)?.key ?? after
  }
}
