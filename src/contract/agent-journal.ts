import { DAY_MS, MINUTE_MS } from './durations.ts'

/** Bounds of the journal of agents' writes. Names end in their unit. */
export const AGENT_JOURNAL = {
  keptMs: 90 * DAY_MS,
  /** Maximum number of entries, about two gigabytes. Each write adds two entries. */
  entriesMax: 4_000_000,
  /** Maximum entries per account within `keptMs`. Above it, all writes within one `groupMs` share two entries. */
  shareMax: 400_000,
  groupMs: 10 * MINUTE_MS,
} as const
