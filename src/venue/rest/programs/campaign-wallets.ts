import { parseDecimal } from '../../../core/decimals.ts'
import type { VenueState } from '../../exchange/state.ts'
import { amountOf } from '../../messages/number.ts'
import { queryText, requiredQuery } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import type { VenueCall, VenueRow } from '../../messages/row.ts'
import type { Affiliates } from '../../programs/affiliates/affiliates.ts'
import { type Result, referralsIn, sumOf, volumeOf } from '../../programs/contests.ts'
import { type AskedContest, balancesOf, contestRow, oneOf } from './contest.ts'
import { addressOf, stakedBy } from './staking.ts'

type WalletParts = { readonly exchange: VenueState; readonly affiliates: Affiliates }

/** The rows about one wallet in a campaign. */
export function campaignWalletRows(parts: WalletParts): readonly VenueRow[] {
  return [
    contestRow(parts.exchange, 'user', (contest, call) => user(parts, contest, call)),
    contestRow(parts.exchange, 'check', check),
  ]
}

/**
 * One wallet with all its accounts, those of one builder, or one account alone. Throws -1607 when there is none, -1005
 * on an order tag: trades are not counted by it.
 */
function user({ exchange, affiliates }: WalletParts, contest: AskedContest, call: VenueCall) {
  const { query, nowMs } = call
  if (queryText(query, 'order_tag') !== null)
    throw refusal('parameter', 'order_tag is not supported')
  const id = queryText(query, 'account_id')?.toLowerCase()
  const address = id === undefined ? addressOf(query) : ''
  const broker = queryText(query, 'broker_id')
  const own = contest.contestants.filter(
    ({ participant: { key, address: wallet, brokerId } }) =>
      (id === undefined ? wallet === address : key === id) &&
      (broker === null || brokerId === broker),
  )
  if (own.length === 0) throw refusal('noAccount')
  const result = sumOf(own.map((each) => each.result))
  const keys = own.map(({ participant }) => participant.key)
  const referrals = referralsIn(affiliates, contest, keys)
  const staked = stakedBy(exchange, ({ key }) => keys.includes(key), nowMs)
  return {
    volume: amountOf(own.reduce((sum, { trades }) => sum + volumeOf(trades, contest.market), 0)),
    filled_order_count: result.orders,
    updated_time: result.updatedAtMs,
    ...balancesOf(result),
    new_invited_referee: referrals.invited,
    new_traded_referee: referrals.traded,
    total_staked_order: amountOf(staked.order),
    total_staked_esorder: amountOf(staked.esOrder),
  }
}

/** What can be compared, in micro-USDC or as a count of as many millionths. */
const MEASURES: Readonly<Record<string, (result: Result) => bigint>> = {
  volume: ({ volume }) => BigInt(volume),
  deposit: ({ deposits }) => BigInt(deposits),
  withdraw: ({ withdrawals }) => BigInt(withdrawals),
  order_count: ({ orders }) => BigInt(orders) * 1_000_000n,
}

const COMPARISONS: Readonly<Record<string, (own: bigint, goal: bigint) => boolean>> = {
  gt: (own, goal) => own > goal,
  ge: (own, goal) => own >= goal,
  le: (own, goal) => own <= goal,
  lt: (own, goal) => own < goal,
}

/** Whether the figures of a wallet compare with a goal. Throws -1005 on another measure, comparison or no number. */
function check({ contestants }: AskedContest, { query }: VenueCall) {
  const address = addressOf(query)
  const own = contestants.filter(({ participant }) => participant.address === address)
  const measure = oneOf(MEASURES, 'type', requiredQuery(query, 'type'))
  const compare = oneOf(COMPARISONS, 'cmp', query.get('cmp') || 'gt')
  const goal = parseDecimal(requiredQuery(query, 'lower_boundary'), 6)
  if (goal === null) throw refusal('parameter', 'lower_boundary must be a number')
  const isReached = compare(measure(sumOf(own.map(({ result }) => result))), goal)
  return { status: isReached ? 'success' : 'failed' }
}
