import { parseDecimal } from '../../../core/decimals.ts'
import { MICRO, sumBy } from '../../base/units.ts'
import type { VenueState } from '../../exchange/state.ts'
import {
  addressIn,
  periodFilter,
  positive,
  queryChoice,
  queryText,
  requiredQuery,
  shapedPage,
} from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { publicReadRows, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { micro, wireUsdc } from '../../messages/values.ts'
import type { Program } from '../../programs/affiliates/rebates.ts'
import {
  type Contest,
  type Contestant,
  campaignContestants,
  contestResult,
  type Result,
  referralsIn,
  tradedVolume,
} from '../../programs/contests.ts'
import { CAMPAIGNS, campaignTimes } from '../../programs/tables.ts'
import { stakedBy } from './staking.ts'

/** A campaign with all participants. `market`: the number of the queried market; null for all markets. */
type AskedContest = Contest & { readonly market: number | null }

/**
 * Endpoints for trading contests. A table gives the dates of a contest; its figures come from the trades within these
 * dates.
 */
export function campaignRows(parts: Program): readonly VenueRow[] {
  const { exchange } = parts
  const of = (answer: (contest: AskedContest, call: VenueCall) => unknown) => (call: VenueCall) =>
    answer(queriedContest(exchange, call), call)
  return publicReadRows({
    '/v1/public/campaigns': (call) => campaigns(exchange, call),
    '/v1/public/campaign/stats': of(stats),
    '/v1/public/campaign/ranking': of(ranking),
    '/v1/public/campaign/stats/details': of((contest, call) => details(exchange, contest, call)),
    '/v1/public/campaign/user': of((contest, call) => user(parts, contest, call)),
    '/v1/public/campaign/check': of(check),
  })
}

/** The queried contest. Throws -1005 without an id or for an unknown market, -1006 for an unknown campaign. */
function queriedContest(exchange: VenueState, { query, nowMs }: VenueCall): AskedContest {
  requiredQuery(query, 'campaign_id')
  const id = positive(query, 'campaign_id', 1)
  const campaign = CAMPAIGNS.find((each) => each.id === id)
  if (!campaign) throw refusal('notFound', 'The campaign is not found')
  const { world } = exchange.simulation().engine
  const symbol = queryText(query, 'symbol')
  const market = symbol === null ? null : world.exchange.bySymbol.get(symbol)
  if (market === undefined) throw refusal('parameter', 'symbol is invalid')
  const contestants = campaignContestants(exchange, campaign, nowMs)
  return {
    ...campaignTimes(campaign, world.beginsAtMs),
    contestants,
    market: market?.number ?? null,
  }
}

/** All campaigns, or those of the queried wallet. A wallet signs up with the first trade of its accounts. */
function campaigns(exchange: VenueState, { query, nowMs }: VenueCall) {
  const isIn = periodFilter(query)
  const alive = queryText(query, 'only_show_alive')?.toLowerCase() === 'true'
  const address = queryText(query, 'address')?.toLowerCase()
  const rows = CAMPAIGNS.flatMap((campaign) => {
    const { startMs, endMs, signupMs } = campaignTimes(
      campaign,
      exchange.simulation().engine.world.beginsAtMs,
    )
    if (!isIn(startMs) || (alive && endMs <= nowMs)) return []
    const row = {
      id: campaign.id,
      name: campaign.name,
      start_time: startMs,
      end_time: endMs,
      signup_start_time: signupMs,
      signup_end_time: endMs,
    }
    if (address === undefined) return row
    const own = campaignContestants(exchange, campaign, nowMs).filter(
      (each) => each.address === address,
    )
    const times = own.flatMap(({ trades }) => trades.slice(0, 1)).map(({ sinceMs }) => sinceMs)
    return times.length === 0 ? [] : { ...row, register_time: Math.min(...times) }
  })
  return { rows }
}

/** The contestants that have traded, of the builder that the query names or of all builders. */
function traded({ contestants }: AskedContest, query: URLSearchParams): readonly Contestant[] {
  const broker = queryText(query, 'broker_id')
  return contestants.filter(
    ({ brokerId, trades }) => trades.length > 0 && (broker === null || brokerId === broker),
  )
}

function stats(contest: AskedContest, { query }: VenueCall) {
  const volumeIn = ({ trades }: Contestant) => tradedVolume(trades, contest.market)
  const counted = traded(contest, query).filter((each) => volumeIn(each) > 0)
  return {
    volume: micro(wideSum(counted.map(volumeIn))),
    user_count: counted.length,
    sign_up_count: counted.length,
    updated_time: Math.max(contest.startMs, contestResult(counted).updatedAtMs),
  }
}

/** The sum of volumes as a bigint, since it may exceed the safe integers. */
function wideSum(volumes: readonly number[]): bigint {
  return volumes.reduce((sum, volume) => sum + BigInt(volume), 0n)
}

/**
 * The contestants, largest first. Among equal contestants, the contestant who traded first comes first. Throws -1005
 * for a malformed query.
 */
function ranking(contest: AskedContest, { query }: VenueCall) {
  const figure = queryChoice(query, 'sort_by', ['volume', 'pnl'], 'volume')
  const [leastVolume, leastPnl] = [least(query, 'min_volume'), least(query, 'min_pnl')]
  const firstTradeMs = ({ trades }: Contestant) => trades[0]?.sinceMs ?? 0
  const chosen = traded(contest, query)
    .map((each) => ({ ...each, result: contestResult([each]) }))
    .filter(({ result }) => result.volume >= leastVolume && result.pnl >= leastPnl)
    .sort((a, b) => b.result[figure] - a.result[figure] || firstTradeMs(a) - firstTradeMs(b))
  return shapedPage(chosen, query, ({ brokerId, key, address, result }) => ({
    broker_id: brokerId,
    account_id: key,
    address,
    volume: wireUsdc(result.volume),
    ...contestBalances(result),
  }))
}

/** The minimum of a figure that a query asks for, in micro-USDC. */
function least(query: URLSearchParams, name: string): number {
  const text = queryText(query, name)
  if (text === null) return Number.NEGATIVE_INFINITY
  const micros = parseDecimal(text.replace(/^-/, ''), DECIMALS)
  if (micros === null) throw refusal('parameter', `${name} must be a number`)
  return (text.startsWith('-') ? -1 : 1) * Number(micros)
}

const DECIMALS = 6

function contestBalances({ pnl, deposits, withdrawals, startValue, endValue }: Result) {
  return {
    pnl: wireUsdc(pnl),
    total_deposit_amount: wireUsdc(deposits),
    total_withdrawal_amount: wireUsdc(withdrawals),
    start_account_value: wireUsdc(startValue),
    end_account_value: wireUsdc(endValue),
  }
}

/** Volume and traders by builder, by market or by both, largest first. Throws -1005 for any other grouping. */
function details({ simulation }: VenueState, contest: AskedContest, { query }: VenueCall) {
  const group = queryChoice(query, 'group_by', ['NONE', 'BROKER', 'SYMBOL'], 'NONE')
  const symbols = queryText(query, 'symbols')?.split(',')
  const { markets } = simulation().engine.world.exchange
  const trades = traded(contest, query)
    .flatMap(({ brokerId, number, trades: own }) =>
      own.map(({ market, volume }) => {
        const symbol = markets[market]?.spec.symbol ?? ''
        const key = {
          ...(group !== 'SYMBOL' && { broker_id: brokerId }),
          ...(group !== 'BROKER' && { symbol }),
        }
        return { key, symbol, volume, number }
      }),
    )
    .filter(({ symbol }) => symbols?.includes(symbol) ?? true)
  const groups = Map.groupBy(trades, ({ key }) => JSON.stringify(key)).values()
  const rows = Array.from(groups, (own) => ({
    key: own[0]?.key,
    volume: wideSum(own.map(({ volume }) => volume)),
    users: new Set(own.map(({ number }) => number)).size,
  })).sort((a, b) => Number(b.volume - a.volume))
  return shapedPage(rows, query, ({ key, volume, users }) => ({
    ...key,
    volume: micro(volume),
    user_count: users,
  }))
}

/**
 * The figures of a wallet over all its accounts, over its accounts at one builder, or of one account. Throws -1607 for
 * an unknown account, -1005 for an order tag, because trades are not counted by tag.
 */
function user({ affiliates }: Program, contest: AskedContest, { query, nowMs }: VenueCall) {
  if (queryText(query, 'order_tag') !== null)
    throw refusal('parameter', 'order_tag is not supported')
  const id = queryText(query, 'account_id')?.toLowerCase()
  const wallet = id === undefined ? addressIn(query, 'address') : ''
  const broker = queryText(query, 'broker_id')
  const own = contest.contestants.filter(
    ({ key, address, brokerId }) =>
      (id === undefined ? address === wallet : key === id) &&
      (broker === null || brokerId === broker),
  )
  if (own.length === 0) throw refusal('noAccount')
  const result = contestResult(own)
  const referrals = referralsIn(
    affiliates,
    contest,
    own.map(({ key }) => key),
  )
  const { total_staked_balance: _, ...staked } = stakedBy(own, nowMs)
  return {
    volume: wireUsdc(sumBy(own, ({ trades }) => tradedVolume(trades, contest.market))),
    filled_order_count: result.orders,
    updated_time: result.updatedAtMs,
    ...contestBalances(result),
    new_invited_referee: referrals.invited,
    new_traded_referee: referrals.traded,
    ...staked,
  }
}

/** The figures that a goal can compare: micro-USDC, or counts in millionths. */
const MEASURES = {
  volume: ({ volume }: Result) => volume,
  deposit: ({ deposits }: Result) => deposits,
  withdraw: ({ withdrawals }: Result) => withdrawals,
  order_count: ({ orders }: Result) => orders * MICRO,
}

const COMPARISONS = {
  gt: (own: number, goal: number) => own > goal,
  ge: (own: number, goal: number) => own >= goal,
  le: (own: number, goal: number) => own <= goal,
  lt: (own: number, goal: number) => own < goal,
}

/**
 * Whether a wallet's figures reach a goal. Throws -1005 for an unknown measure or comparison, or a malformed number.
 */
function check({ contestants }: AskedContest, { query }: VenueCall) {
  const wallet = addressIn(query, 'address')
  const own = contestants.filter(({ address }) => address === wallet)
  const measure =
    MEASURES[queryChoice(query, 'type', ['volume', 'deposit', 'withdraw', 'order_count'])]
  const compare = COMPARISONS[queryChoice(query, 'cmp', ['gt', 'ge', 'le', 'lt'], 'gt')]
  const goal = parseDecimal(requiredQuery(query, 'lower_boundary'), DECIMALS)
  if (goal === null) throw refusal('parameter', 'lower_boundary must be a number')
  return { status: compare(measure(contestResult(own)), Number(goal)) ? 'success' : 'failed' }
}
