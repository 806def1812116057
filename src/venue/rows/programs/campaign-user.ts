import type { Affiliates } from '../../affiliates/affiliates.ts'
import type { Account } from '../../engine/state.ts'
import { ownerOf, tradersOf } from '../../exchange/seat.ts'
import type { Exchange } from '../../exchange/state.ts'
import type { Campaign } from '../../programs/calendar.ts'
import { broughtTo, resultOf } from '../../programs/contests.ts'
import type { Merits } from '../../programs/merits.ts'
import { treasuryOf } from '../../programs/treasury.ts'
import { queryText } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'
import type { VenueCall } from '../../wire/row.ts'
import { amountOf } from '../figures.ts'
import { balancesOf } from './balances.ts'
import { accountsOf, addressOf, stakedBy } from './holding.ts'

export type CampaignParts = {
  readonly exchange: Exchange
  readonly merits: Merits
  readonly affiliates: Affiliates
}

/**
 * One wallet in a campaign with all its accounts, those of one builder, or one account alone; the volume also of one
 * market. Throws -1607 when there is none, -1005 on an order tag: trades are not counted by it.
 */
export function campaignUser(
  { exchange, merits, affiliates }: CampaignParts,
  campaign: Campaign,
  { query, nowMs }: VenueCall,
) {
  if (queryText(query, 'order_tag') !== null)
    throw refusal('parameter', 'order_tag is not supported')
  const accounts = chosen(exchange, query)
  if (accounts.length === 0) throw refusal('noAccount')
  const result = resultOf(exchange, campaign, accounts, marketsOf(exchange, query))
  const brought = broughtTo(exchange, affiliates, campaign, accounts)
  const staked = stakedBy({ accounts, treasury: treasuryOf(exchange, merits, nowMs) })
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

/** The market that is asked for; undefined for all. Throws -1005 when there is none of that name. */
export function marketsOf(
  { floor }: Exchange,
  query: URLSearchParams,
): ReadonlySet<number> | undefined {
  const symbol = queryText(query, 'symbol')
  if (symbol === null) return undefined
  const market = floor().engine.world.exchange.bySymbol.get(symbol)
  if (!market) throw refusal('parameter', 'symbol is invalid')
  return new Set([market.number])
}

function chosen(exchange: Exchange, query: URLSearchParams): readonly Account[] {
  const id = queryText(query, 'account_id')?.toLowerCase()
  const broker = queryText(query, 'broker_id')
  const accounts =
    id === undefined
      ? accountsOf(exchange, addressOf(query))
      : tradersOf(exchange).filter(({ key }) => key === id)
  return accounts.filter(
    (account) => broker === null || ownerOf(exchange, account).brokerId === broker,
  )
}
