import type { BuiltPart } from '../bundle.ts'

/** What the trading page is made of. From source nothing: build/pages.ts puts the real list in its place. */
export const PARTS: readonly BuiltPart[] = []
