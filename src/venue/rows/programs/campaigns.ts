import type { Affiliates } from '../../affiliates/affiliates.ts'
import type { Exchange } from '../../exchange/state.ts'
import { CAMPAIGNS, type Campaign } from '../../programs/calendar.ts'
import {
  broughtTo,
  type Contestant,
  contestantsOf,
  type Result,
  resultOf,
  timesOf,
  volumeOf,
} from '../../programs/contests.ts'
import type { Merits } from '../../programs/merits.ts'
import { pageOf, periodOf, positive, queryText, requiredQuery } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../wire/row.ts'
import { amountOf } from '../figures.ts'
import { campaignCheck } from './campaign-check.ts'
import { campaignDetails } from './campaign-details.ts'
import { accountsOf, addressOf, holdingOf, stakedBy } from './holding.ts'

export type CampaignParts = {
  readonly exchange: Exchange
  readonly merits: Merits
  readonly affiliates: Affiliates
}

type CampaignAnswer = (campaign: Campaign, call: VenueCall) => unknown

/** Trading contests: dates from the calendar, everything else from what was traded in their time. */
export function campaignRows(parts: CampaignParts): readonly VenueRow[] {
  const { exchange } = parts
  const ofOne = (path: string, answer: CampaignAnswer) =>
    publicRead(`/v1/public/campaign/${path}`, (call) => answer(campaignOf(call.query), call))
  return [
    publicRead('/v1/public/campaigns', (call) => campaigns(exchange, call)),
    ofOne('stats', (campaign, call) => stats(exchange, campaign, call)),
    ofOne('ranking', (campaign, { query }) => ranking(exchange, campaign, query)),
    ofOne('user', (campaign, call) => user(parts, campaign, call)),
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
  const symbol = queryText(query, 'symbol')
  const broker = queryText(query, 'broker_id')
  const market =
    symbol === null ? null : exchange.floor().engine.world.exchange.bySymbol.get(symbol)
  if (market === undefined) throw refusal('parameter', 'symbol is invalid')
  const markets = market ? new Set([market.number]) : undefined
  const counted = contestantsOf(exchange, campaign).filter(
    ({ brokerId, entry }) =>
      (broker === null || brokerId === broker) && volumeOf(entry, markets) > 0,
  )
  const { startMs } = timesOf(exchange, campaign)
  return {
    volume: amountOf(counted.reduce((sum, { entry }) => sum + volumeOf(entry, markets), 0)),
    user_count: counted.length,
    sign_up_count: counted.length,
    updated_time: Math.max(startMs, ...counted.map(({ entry }) => entry.updatedAtMs)),
  }
}

/** The largest first; of equals, who has been in it longer. */
function ranking(exchange: Exchange, campaign: Campaign, query: URLSearchParams) {
  const figureOf = figureNamed(queryText(query, 'sort_by') ?? 'volume')
  const broker = queryText(query, 'broker_id')
  const rows = contestantsOf(exchange, campaign)
    .filter(({ brokerId }) => broker === null || brokerId === broker)
    .map((contestant) => ({
      contestant,
      result: resultOf(exchange, campaign, [contestant.account]),
    }))
    .sort(
      (a, b) =>
        figureOf(b.result) - figureOf(a.result) ||
        a.contestant.entry.sinceMs - b.contestant.entry.sinceMs,
    )
  const { meta, rows: page } = pageOf(rows, query)
  return { meta, rows: page.map(({ contestant, result }) => rankedRow(contestant, result)) }
}

function figureNamed(name: string): (result: Result) => number {
  if (name === 'volume') return ({ volume }) => volume
  if (name === 'pnl') return ({ pnl }) => pnl
  throw refusal('parameter', 'sort_by must be volume or pnl')
}

function rankedRow({ account, address, brokerId }: Contestant, result: Result) {
  return {
    broker_id: brokerId,
    account_id: account.key,
    address,
    volume: amountOf(result.volume),
    ...balancesOf(result),
  }
}

function balancesOf({ pnl, deposits, withdrawals, startValue, endValue }: Result) {
  return {
    pnl: amountOf(pnl),
    total_deposit_amount: amountOf(deposits),
    total_withdrawal_amount: amountOf(withdrawals),
    start_account_value: amountOf(startValue),
    end_account_value: amountOf(endValue),
  }
}

/** One wallet, with all its accounts. Throws -1607 when it has none. */
function user(parts: CampaignParts, campaign: Campaign, call: VenueCall) {
  const { exchange, affiliates } = parts
  const holding = holdingOf(parts, call)
  const { accounts } = holding
  if (accounts.length === 0) throw refusal('noAccount')
  const result = resultOf(exchange, campaign, accounts)
  const brought = broughtTo(exchange, affiliates, campaign, accounts)
  const staked = stakedBy(holding)
  return {
    volume: amountOf(result.volume),
    filled_order_count: result.orders,
    updated_time: result.updatedAtMs,
    ...balancesOf(result),
    new_invited_referee: brought.invited,
    new_traded_referee: brought.traded,
    total_staked_order: amountOf(staked.order),
    total_staked_esorder: amountOf(staked.esOrder),
  }
}
