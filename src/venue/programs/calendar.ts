import { DAY_MS } from '../../spec/durations.ts'

/** A trading contest. Days count from the moment when the world began. */
export type Campaign = {
  readonly id: number
  readonly name: string
  readonly startDay: number
  readonly endDay: number
  /** Since when one may sign up; until it ends. */
  readonly signupDay: number
  /** What counts; null for everything. */
  readonly symbols: readonly string[] | null
}

const MAJORS = ['PERP_BTC_USDC', 'PERP_ETH_USDC', 'PERP_SOL_USDC']

// biome-ignore format: one campaign a line
export const CAMPAIGNS: readonly Campaign[] = [
  { id: 1, name: 'Opening week', startDay: 0, endDay: 7, signupDay: -7, symbols: null },
  { id: 2, name: 'Sprint of the majors', startDay: 0, endDay: 3, signupDay: -3, symbols: MAJORS },
  { id: 3, name: 'First season', startDay: 0, endDay: 90, signupDay: -14, symbols: null },
  { id: 4, name: 'Second week', startDay: 7, endDay: 14, signupDay: 0, symbols: null },
  { id: 5, name: 'Second season', startDay: 90, endDay: 180, signupDay: 76, symbols: null },
  { id: 6, name: 'Third season', startDay: 180, endDay: 270, signupDay: 166, symbols: null },
  { id: 7, name: 'Fourth season', startDay: 270, endDay: 360, signupDay: 256, symbols: null },
]

/** The time of a day of the calendar, in a world that began then. */
export function dayMs(genesisMs: number, day: number): number {
  return genesisMs + day * DAY_MS
}
