import type { BuiltPart } from '../bundle.ts'

/** The parts of the trading page. Empty from source: build/pages.ts replaces this list. */
export const TRADE_PARTS: readonly BuiltPart[] = []
