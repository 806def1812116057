import type { BuiltPart } from './bundle.ts'

/** The parts of each page. Empty from source: build/pages.ts replaces these lists. */
export const PAGE_PARTS: Readonly<Record<'trade' | 'console' | 'approve', readonly BuiltPart[]>> = {
  trade: [],
  console: [],
  approve: [],
}
