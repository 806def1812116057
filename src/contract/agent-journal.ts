import { DAY_MS, MINUTE_MS } from './durations.ts'

/** Bounds of the journal of agents' writes. The unit is the last word of each name. */
export const AGENT_JOURNAL = {
  keptMs: 90 * DAY_MS,
  /** About two gigabytes; a write has two entries. */
  entriesMax: 4_000_000,
  /** Entries of one account within `keptMs`; beyond it, writes of `groupMs` have two entries together. */
  shareMax: 400_000,
  groupMs: 10 * MINUTE_MS,
} as const
