import type { Exchange } from '../../exchange/state.ts'
import { CAMPAIGNS, type Campaign } from '../../programs/calendar.ts'
import { contestantsOf, resultOf, timesOf, volumeOf } from '../../programs/contests.ts'
import { sumOf } from '../../units.ts'
import { micro } from '../../wire/number.ts'
import { periodOf, positive, queryText, requiredQuery } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../wire/row.ts'
import { campaignCheck } from './campaign-check.ts'
import { campaignDetails } from './campaign-details.ts'
import { campaignRanking } from './campaign-ranking.ts'
import { type CampaignParts, campaignUser, marketsOf } from './campaign-user.ts'
import { accountsOf, addressOf } from './holding.ts'

type CampaignAnswer = (campaign: Campaign, call: VenueCall) => unknown

/** Trading contests: dates from the calendar, everything else from what was traded in their time. */
export function campaignRows(parts: CampaignParts): readonly VenueRow[] {
  const { exchange } = parts
  const ofOne = (path: string, answer: CampaignAnswer) =>
    publicRead(`/v1/public/campaign/${path}`, (call) => answer(campaignOf(call.query), call))
  return [
    publicRead('/v1/public/campaigns', (call) => campaigns(exchange, call)),
    ofOne('stats', (campaign, call) => stats(exchange, campaign, call)),
    ofOne('ranking', (campaign, { query }) => campaignRanking(exchange, campaign, query)),
    ofOne('user', (campaign, call) => campaignUser(parts, campaign, call)),
    ofOne('stats/details', (campaign, { query }) => campaignDetails(exchange, campaign, query)),
    ofOne('check', (campaign, { query }) =>
      campaignCheck(resultOf(exchange, campaign, accountsOf(exchange, addressOf(query))), query),
    ),
  ]
}

function campaignOf(query: URLSearchParams): Campaign {
  requiredQuery(query, 'campaign_id')
  const id = positive(query, 'campaign_id', 1)
  const campaign = CAMPAIGNS.find((each) => each.id === id)
  if (!campaign) throw refusal('notFound', 'The campaign is not found')
  return campaign
}

/** With an address those that the wallet is in, and since when. */
function campaigns(exchange: Exchange, { query, nowMs }: VenueCall) {
  const isIn = periodOf(query)
  const alive = queryText(query, 'only_show_alive')?.toLowerCase() === 'true'
  const address = queryText(query, 'address')?.toLowerCase()
  const rows = CAMPAIGNS.flatMap((campaign) => {
    const { startMs, endMs, signupMs } = timesOf(exchange, campaign)
    if (!isIn(startMs) || (alive && endMs <= nowMs)) return []
    const since = address === undefined ? null : registeredAt(exchange, campaign, address)
    if (address !== undefined && since === null) return []
    return [
      {
        id: campaign.id,
        name: campaign.name,
        start_time: startMs,
        end_time: endMs,
        signup_start_time: signupMs,
        signup_end_time: endMs,
        ...(since !== null && { register_time: since }),
      },
    ]
  })
  return { rows }
}

function registeredAt(exchange: Exchange, campaign: Campaign, address: string): number | null {
  const times = contestantsOf(exchange, campaign)
    .filter((contestant) => contestant.address === address)
    .map(({ entry }) => entry.sinceMs)
  return times.length === 0 ? null : Math.min(...times)
}

/** Whoever has traded what counts has signed up by that. */
function stats(exchange: Exchange, campaign: Campaign, { query }: VenueCall) {
  const broker = queryText(query, 'broker_id')
  const markets = marketsOf(exchange, query)
  const counted = contestantsOf(exchange, campaign).filter(
    ({ brokerId, entry }) =>
      (broker === null || brokerId === broker) && volumeOf(entry, markets) > 0,
  )
  const { startMs } = timesOf(exchange, campaign)
  return {
    volume: micro(sumOf(counted, ({ entry }) => BigInt(volumeOf(entry, markets)))),
    user_count: counted.length,
    sign_up_count: counted.length,
    updated_time: Math.max(startMs, ...counted.map(({ entry }) => entry.updatedAtMs)),
  }
}
