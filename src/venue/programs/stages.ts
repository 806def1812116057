/** A stage of the rewards. Weeks count from the one in which the world began. */
export type Stage = {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly startWeek: number
  readonly endWeek: number
  /** It goes on where the one before it ended. */
  readonly isContinuous: boolean
}

// biome-ignore format: one stage a line
export const STAGES: readonly Stage[] = [
  { id: 1, name: 'Before the opening', description: 'What was traded before this venue opened.', startWeek: -11, endWeek: 0, isContinuous: false },
  { id: 2, name: 'First season', description: 'The first quarter: a point a USDC traded, ten a USDC paid in fees.', startWeek: 0, endWeek: 13, isContinuous: true },
  { id: 3, name: 'Second season', description: 'The second quarter, by the same rules.', startWeek: 13, endWeek: 26, isContinuous: true },
  { id: 4, name: 'Third season', description: 'The third quarter, by the same rules.', startWeek: 26, endWeek: 39, isContinuous: true },
  { id: 5, name: 'All seasons after', description: 'Everything after the first three quarters, by the same rules.', startWeek: 39, endWeek: 520, isContinuous: true },
]
