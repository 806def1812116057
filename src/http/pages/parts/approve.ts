import type { BuiltPart } from '../bundle.ts'

/** The parts of the page for approvals. From source there are none: build/pages.ts replaces this list. */
export const PARTS: readonly BuiltPart[] = []
