import { parseDecimal } from '../../../core/decimals.ts'
import type { Exchange } from '../../exchange/state.ts'
import type { Campaign } from '../../programs/calendar.ts'
import { type Contestant, contestantsOf, type Result, resultOf } from '../../programs/contests.ts'
import { pageOf, queryText } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'
import { amountOf } from '../figures.ts'
import { balancesOf } from './balances.ts'

/** Who leads a campaign, the largest first; of equals, who has been in it longer. Throws -1005. */
export function campaignRanking(exchange: Exchange, campaign: Campaign, query: URLSearchParams) {
  const figureOf = figureNamed(queryText(query, 'sort_by') ?? 'volume')
  const broker = queryText(query, 'broker_id')
  const [leastVolume, leastPnl] = [least(query, 'min_volume'), least(query, 'min_pnl')]
  const rows = contestantsOf(exchange, campaign)
    .filter(({ brokerId }) => broker === null || brokerId === broker)
    .map((contestant) => ({
      contestant,
      result: resultOf(exchange, campaign, [contestant.account]),
    }))
    .filter(({ result }) => result.volume >= leastVolume && result.pnl >= leastPnl)
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

/** The least micro-USDC that is asked for. */
function least(query: URLSearchParams, name: string): number {
  const text = queryText(query, name)
  if (text === null) return Number.NEGATIVE_INFINITY
  const sign = text.startsWith('-') ? -1 : 1
  const micros = parseDecimal(text.replace(/^-/, ''), DECIMALS)
  if (micros === null) throw refusal('parameter', `${name} must be a number`)
  return sign * Number(micros)
}

const DECIMALS = 6

function rankedRow({ account, address, brokerId }: Contestant, result: Result) {
  return {
    broker_id: brokerId,
    account_id: account.key,
    address,
    volume: amountOf(result.volume),
    ...balancesOf(result),
  }
}
