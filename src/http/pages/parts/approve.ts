import type { BuiltPart } from '../bundle.ts'

/** The parts of the page for approvals. Empty from source: build/pages.ts replaces this list. */
export const APPROVE_PARTS: readonly BuiltPart[] = []
