import type { BuiltPart } from '../bundle.ts'

/** The parts of the console. Empty from source: build/pages.ts replaces this list. */
export const CONSOLE_PARTS: readonly BuiltPart[] = []
