/**
 * Values by price in ticks, such as the levels of a book's side. A page holds neighbouring prices, so that the prices
 * that trade at the moment are close together in memory.
 */
export type PriceTable<Value> = {
  readonly pages: (Page<Value> | null)[]
  size: number
  /** The page that became empty last. It is used when the next page is needed. */
  spare: Page<Value> | null
}

type Page<Value> = { readonly values: (Value | null)[]; count: number }

const PAGE_BITS = 5
const PAGE_PRICES = 1 << PAGE_BITS
const PAGE_MASK = PAGE_PRICES - 1

export function createPriceTable<Value>(): PriceTable<Value> {
  return { pages: [], size: 0, spare: null }
}

/** The value at a price; null if the price has no value. */
export function valueAt<Value>({ pages }: PriceTable<Value>, price: number): Value | null {
  return pages[price >>> PAGE_BITS]?.values[price & PAGE_MASK] ?? null
}

/** Puts a value at a price that has no value yet. */
export function putAt<Value>(table: PriceTable<Value>, price: number, value: Value): void {
  const page = openPage(table, price >>> PAGE_BITS)
  page.values[price & PAGE_MASK] = value
  page.count += 1
  table.size += 1
}

/** Removes the value at a price, and its page if that becomes empty. */
export function clearAt<Value>(table: PriceTable<Value>, price: number): void {
  const at = price >>> PAGE_BITS
  const page = table.pages[at]
  if (!page?.values[price & PAGE_MASK]) return
  page.values[price & PAGE_MASK] = null
  page.count -= 1
  table.size -= 1
  if (page.count > 0) return
  table.pages[at] = null
  table.spare = page
}

/** The page at an index; created if missing. The list of pages is extended up to this index. */
function openPage<Value>(table: PriceTable<Value>, at: number): Page<Value> {
  const { pages, spare } = table
  while (pages.length <= at) pages.push(null)
  const known = pages[at]
  if (known) return known
  const page = spare ?? { values: new Array<Value | null>(PAGE_PRICES).fill(null), count: 0 }
  pages[at] = page
  table.spare = null
  return page
}
