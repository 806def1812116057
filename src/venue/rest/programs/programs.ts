import type { VenueState } from '../../exchange/state.ts'
import type { VenueRow } from '../../messages/row.ts'
import type { Affiliates } from '../../programs/affiliates/affiliates.ts'
import { campaignRows } from './campaigns.ts'
import { rewardRows } from './rewards.ts'
import { stakingRows } from './staking.ts'

/** The paths of rewards, contests and stakes. */
export function programRows(parts: {
  readonly exchange: VenueState
  readonly affiliates: Affiliates
}): readonly VenueRow[] {
  const { exchange } = parts
  return [...rewardRows(exchange), ...campaignRows(parts), ...stakingRows(exchange)]
}
