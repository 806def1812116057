import { parseDecimal } from '../../../core/decimals.ts'
import type { VenueState } from '../../exchange/state.ts'
import { amountOf, micro } from '../../messages/number.ts'
import { pageOf, periodOf, queryText } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { type Contestant, contestantsOf, type Result, volumeOf } from '../../programs/contests.ts'
import { CAMPAIGNS, type Campaign, timesOf } from '../../programs/tables.ts'
import { type AskedContest, balancesOf, contestRow, oneOf } from './contest.ts'

/** Trading contests: dates from the table, everything else from the trades in their time. */
export function campaignRows(exchange: VenueState): readonly VenueRow[] {
  return [
    publicRead('/v1/public/campaigns', (call) => campaigns(exchange, call)),
    contestRow(exchange, 'stats', stats),
    contestRow(exchange, 'ranking', ranking),
    contestRow(exchange, 'stats/details', (contest, call) => details(exchange, contest, call)),
  ]
}

/** With an address those that the wallet is in, and since when. */
function campaigns(exchange: VenueState, { query, nowMs }: VenueCall) {
  const isIn = periodOf(query)
  const alive = queryText(query, 'only_show_alive')?.toLowerCase() === 'true'
  const address = queryText(query, 'address')?.toLowerCase()
  const rows = CAMPAIGNS.flatMap((campaign) => {
    const times = timesOf(campaign, exchange.simulation().engine.world.beginsAtMs)
    const { startMs, endMs, signupMs } = times
    if (!isIn(startMs) || (alive && endMs <= nowMs)) return []
    const own = address === undefined ? [] : firstTrades(exchange, campaign, address, nowMs)
    if (address !== undefined && own.length === 0) return []
    return [
      {
        id: campaign.id,
        name: campaign.name,
        start_time: startMs,
        end_time: endMs,
        signup_start_time: signupMs,
        signup_end_time: endMs,
        ...(own.length > 0 && { register_time: Math.min(...own) }),
      },
    ]
  })
  return { rows }
}

/** The times of the first trades of a wallet's accounts: trading signs up. */
function firstTrades(exchange: VenueState, campaign: Campaign, address: string, nowMs: number) {
  return contestantsOf(exchange, campaign, nowMs)
    .filter(({ participant }) => participant.address === address)
    .flatMap(({ trades }) => trades[0]?.sinceMs ?? [])
}

/** Contestants with trades, of one builder or of all. */
function traded({ contestants }: AskedContest, query: URLSearchParams): readonly Contestant[] {
  const broker = queryText(query, 'broker_id')
  return contestants.filter(
    ({ participant, trades }) =>
      trades.length > 0 && (broker === null || participant.brokerId === broker),
  )
}

function stats(contest: AskedContest, { query }: VenueCall) {
  const volumeIn = ({ trades }: Contestant) => volumeOf(trades, contest.market)
  const counted = traded(contest, query).filter((each) => volumeIn(each) > 0)
  const { startMs } = timesOf(contest.campaign, contest.beginsAtMs)
  return {
    volume: micro(counted.reduce((sum, each) => sum + BigInt(volumeIn(each)), 0n)),
    user_count: counted.length,
    sign_up_count: counted.length,
    updated_time: Math.max(startMs, ...counted.map(({ result }) => result.updatedAtMs)),
  }
}

const FIGURES: Readonly<Record<string, (result: Result) => number>> = {
  volume: ({ volume }) => volume,
  pnl: ({ pnl }) => pnl,
}

/** The largest first; of equals, the one whose first trade is older. Throws -1005. */
function ranking(contest: AskedContest, { query }: VenueCall) {
  const figureOf = oneOf(FIGURES, 'sort_by', queryText(query, 'sort_by') ?? 'volume')
  const [leastVolume, leastPnl] = [least(query, 'min_volume'), least(query, 'min_pnl')]
  const sinceOf = ({ trades }: Contestant) => trades[0]?.sinceMs ?? 0
  const chosen = traded(contest, query)
    .filter(({ result }) => result.volume >= leastVolume && result.pnl >= leastPnl)
    .toSorted((a, b) => figureOf(b.result) - figureOf(a.result) || sinceOf(a) - sinceOf(b))
  const { meta, rows } = pageOf(chosen, query)
  return {
    meta,
    rows: rows.map(({ participant, result }) => ({
      broker_id: participant.brokerId,
      account_id: participant.key,
      address: participant.address,
      volume: amountOf(result.volume),
      ...balancesOf(result),
    })),
  }
}

/** The least micro-USDC that is asked for. */
function least(query: URLSearchParams, name: string): number {
  const text = queryText(query, name)
  if (text === null) return Number.NEGATIVE_INFINITY
  const micros = parseDecimal(text.replace(/^-/, ''), DECIMALS)
  if (micros === null) throw refusal('parameter', `${name} must be a number`)
  return (text.startsWith('-') ? -1 : 1) * Number(micros)
}

const DECIMALS = 6

type Key = { readonly broker_id?: string; readonly symbol?: string }

/** The key of a row by `group_by`: a builder, a market, or one builder in one market. */
const KEYS: Readonly<Record<string, (brokerId: string, symbol: string) => Key>> = {
  BROKER: (brokerId) => ({ broker_id: brokerId }),
  SYMBOL: (_, symbol) => ({ symbol }),
  NONE: (brokerId, symbol) => ({ broker_id: brokerId, symbol }),
}

/** Volume and traders by builder and market, the largest first. Throws -1005 on another group. */
function details({ simulation }: VenueState, contest: AskedContest, { query }: VenueCall) {
  const keyOf = oneOf(KEYS, 'group_by', queryText(query, 'group_by') ?? 'NONE')
  const symbols = queryText(query, 'symbols')?.split(',')
  const { markets } = simulation().engine.world.exchange
  const trades = traded(contest, query).flatMap(
    ({ participant: { brokerId, number }, trades: own }) =>
      own.map(({ market, volume }) => ({
        brokerId,
        number,
        volume,
        symbol: markets[market]?.spec.symbol ?? '',
      })),
  )
  const groups = Map.groupBy(
    trades.filter(({ symbol }) => symbols?.includes(symbol) ?? true),
    ({ brokerId, symbol }) => JSON.stringify(keyOf(brokerId, symbol)),
  )
  const rows = Array.from(groups, ([key, group]) => ({
    key: JSON.parse(key) as Key,
    // The volume of many may pass a safe integer.
    volume: group.reduce((sum, { volume }) => sum + BigInt(volume), 0n),
    users: new Set(group.map(({ number }) => number)).size,
  })).sort((a, b) => Number(b.volume - a.volume))
  const { meta, rows: page } = pageOf(rows, query)
  return {
    meta,
    rows: page.map(({ key, volume, users }) => ({
      ...key,
      volume: micro(volume),
      user_count: users,
    })),
  }
}
