import { DAY_MS } from './durations.ts'

/** Bounds of the journal of agents' writes. The unit is the last word of each name. */
export const AGENT_JOURNAL = {
  keptMs: 90 * DAY_MS,
  /** About two gigabytes; a write has two entries. */
  entriesMax: 4_000_000,
} as const
