/** The value by which a row is sorted; null sorts last. */
export type SortValue = bigint | number | string | null

/** The choice by which a list is sorted: the heading of a column, and whether the largest value is first. */
export type Sort = { readonly name: string; readonly isDown: boolean }

/** The next choice after a press on a heading: first direction, other direction, then the venue's own order. */
export function nextSort(
  sort: Sort | undefined,
  name: string,
  sample: SortValue,
): Sort | undefined {
  // Names start with A, figures with the largest.
  const isFirstDown = typeof sample !== 'string'
  if (sort?.name !== name) return { name, isDown: isFirstDown }
  return sort.isDown === isFirstDown ? { name, isDown: !isFirstDown } : undefined
}

/** The rows sorted by a value. Rows without the value are last; equal rows keep their order. */
export function sortedRows<Row>(
  rows: readonly Row[],
  toSortValue: (row: Row) => SortValue,
  isDown: boolean,
): readonly Row[] {
  const direction = isDown ? -1 : 1
  return rows.toSorted((first, second) => {
    const [one, other] = [toSortValue(first), toSortValue(second)]
    if (one === other) return 0
    if (one === null || other === null) return one === null ? 1 : -1
    return one > other ? direction : -direction
  })
}

/** The rows in an earlier order of their keys, with new rows last. */
export function rowsInOrder<Row>(
  rows: readonly Row[],
  keys: readonly (string | number)[],
  keyOf: (row: Row) => string | number,
): readonly Row[] {
  const places = new Map(keys.map((key, at) => [key, at]))
  const toPlace = (row: Row) => places.get(keyOf(row)) ?? keys.length
  return rows.toSorted((one, other) => toPlace(one) - toPlace(other))
}
