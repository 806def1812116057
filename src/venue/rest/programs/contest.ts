import type { VenueState } from '../../exchange/state.ts'
import { amountOf } from '../../messages/number.ts'
import { positive, queryText, requiredQuery } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { type Contest, contestantsOf, type Result } from '../../programs/contests.ts'
import { CAMPAIGNS } from '../../programs/tables.ts'

/** A campaign with all participants, and the market that is asked for; null for all. */
export type AskedContest = Contest & { readonly market: number | null }

/** Throws -1005 on no id and no market, -1006 when there is no such campaign. */
function contestOf(exchange: VenueState, { query, nowMs }: VenueCall): AskedContest {
  requiredQuery(query, 'campaign_id')
  const id = positive(query, 'campaign_id', 1)
  const campaign = CAMPAIGNS.find((each) => each.id === id)
  if (!campaign) throw refusal('notFound', 'The campaign is not found')
  const { beginsAtMs, exchange: engine } = exchange.simulation().engine.world
  const symbol = queryText(query, 'symbol')
  const market = symbol === null ? null : engine.bySymbol.get(symbol)
  if (market === undefined) throw refusal('parameter', 'symbol is invalid')
  const contestants = contestantsOf(exchange, campaign, nowMs)
  return { campaign, beginsAtMs, contestants, market: market?.number ?? null }
}

/** A row about the campaign that is asked for. */
export function contestRow(
  exchange: VenueState,
  path: string,
  answer: (contest: AskedContest, call: VenueCall) => unknown,
): VenueRow {
  return publicRead(`/v1/public/campaign/${path}`, (call) =>
    answer(contestOf(exchange, call), call),
  )
}

/** The balances of a result on the wire. */
export function balancesOf({ pnl, deposits, withdrawals, startValue, endValue }: Result) {
  return {
    pnl: amountOf(pnl),
    total_deposit_amount: amountOf(deposits),
    total_withdrawal_amount: amountOf(withdrawals),
    start_account_value: amountOf(startValue),
    end_account_value: amountOf(endValue),
  }
}

/** The row of a table by the value of a parameter. Throws -1005 on another value. */
export function oneOf<T>(rows: Readonly<Record<string, T>>, parameter: string, name: string): T {
  const found = Object.hasOwn(rows, name) ? rows[name] : undefined
  if (found === undefined)
    throw refusal('parameter', `${parameter} must be one of ${Object.keys(rows).join(', ')}`)
  return found
}
