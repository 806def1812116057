import type { VenueRow } from '../../messages/row.ts'
import type { Program } from '../../programs/affiliates/rebates.ts'
import { campaignRows } from './campaigns.ts'
import { rewardRows } from './rewards.ts'
import { stakingRows } from './staking.ts'

/** The paths of rewards, contests and stakes. */
export function programRows(parts: Program): readonly VenueRow[] {
  const { exchange } = parts
  return [...rewardRows(exchange), ...campaignRows(parts), ...stakingRows(exchange)]
}
