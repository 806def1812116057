import { DAY_MS } from '../../contract/durations.ts'
import { spanStart, WEEK_MS } from '../past/spans.ts'

/** Epochs of the rewards and batches of the pools are weeks that begin on Monday, numbered since 1970. */

/** The epoch that contains a time. */
export function epochAt(atMs: number): number {
  return Math.floor(spanStart(WEEK_MS, atMs) / WEEK_MS)
}

/** The start of an epoch, which is also the end of the previous epoch. */
export function epochStartMs(epoch: number): number {
  return spanStart(WEEK_MS, (epoch + 1) * WEEK_MS)
}

/** The first epoch with figures, eleven weeks before the epoch in which the world began. */
export function firstEpoch({ beginsAtMs }: { readonly beginsAtMs: number }): number {
  return epochAt(beginsAtMs) - 11
}

/** A stage of the rewards. Weeks count from the week in which the world began. */
export type RewardStage = {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly startWeek: number
  readonly endWeek: number
}

// biome-ignore format: one stage a line
export const STAGES: readonly RewardStage[] = [
  { id: 1, name: 'Before the opening', description: 'Volume before this venue opened.', startWeek: -11, endWeek: 0 },
  { id: 2, name: 'First season', description: 'The first quarter: a point a USDC traded, ten a USDC paid in fees.', startWeek: 0, endWeek: 13 },
  { id: 3, name: 'Second season', description: 'The second quarter, by the same rules.', startWeek: 13, endWeek: 26 },
  { id: 4, name: 'Third season', description: 'The third quarter, by the same rules.', startWeek: 26, endWeek: 39 },
  { id: 5, name: 'All seasons after', description: 'Everything after the first three quarters, by the same rules.', startWeek: 39, endWeek: 520 },
]

/** The first and the last epoch of a stage, in a given world. */
export function stageEpochs(
  { startWeek, endWeek }: RewardStage,
  { beginsAtMs }: { readonly beginsAtMs: number },
) {
  const opening = epochAt(beginsAtMs)
  return { from: opening + startWeek, to: opening + endWeek - 1 }
}

/** A trading contest. UTC days count from the day on which the world began. */
export type Campaign = {
  readonly id: number
  readonly name: string
  readonly startDay: number
  readonly endDay: number
  /** The first day on which accounts can sign up. Signing up ends with the campaign. */
  readonly signupDay: number
  /** The markets in which trades count; null for all. */
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

/** The times of a campaign, in a given world. */
export function campaignTimes({ startDay, endDay, signupDay }: Campaign, beginsAtMs: number) {
  const worldDayMs = (day: number) => (Math.floor(beginsAtMs / DAY_MS) + day) * DAY_MS
  return {
    startMs: worldDayMs(startDay),
    endMs: worldDayMs(endDay),
    signupMs: worldDayMs(signupDay),
  }
}
