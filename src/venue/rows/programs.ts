import { createMerits } from '../programs/merits.ts'
import type { VenueRow } from '../wire/row.ts'
import type { CampaignParts } from './programs/campaign-user.ts'
import { campaignRows } from './programs/campaigns.ts'
import { rewardRows } from './programs/rewards.ts'
import { stakingRows } from './programs/staking.ts'

/** What the venue gives for trading: rewards, contests and stakes. */
export function programRows(parts: Omit<CampaignParts, 'merits'>): readonly VenueRow[] {
  const merits = createMerits(parts.exchange)
  return [
    ...rewardRows(merits),
    ...campaignRows({ ...parts, merits }),
    ...stakingRows({ ...parts, merits }),
  ]
}
