/** Rows read at a time. */
const PAGE_ROWS = 1000

/**
 * Iterates over a table in pages, in the order of its key. Between pages all statements are closed, so a slow or
 * stopped caller blocks nothing: an open cursor would keep the write-ahead log from shrinking.
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
