import type { BuiltPart } from '../bundle.ts'

/** The parts of the console. From source there are none: build/pages.ts replaces this list. */
export const PARTS: readonly BuiltPart[] = []
