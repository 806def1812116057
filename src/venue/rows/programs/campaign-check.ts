import { parseDecimal } from '../../../core/decimals.ts'
import type { Result } from '../../programs/contests.ts'
import { requiredQuery } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'

/** What can be measured, in micro-USDC or as a count of as many millionths. */
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

const DECIMALS = 6

/** Whether a result compares with a goal as is asked. Throws -1005 on another measure, comparison or no number. */
export function campaignCheck(result: Result, query: URLSearchParams) {
  const measure = oneOf(MEASURES, 'type', requiredQuery(query, 'type'))
  const compare = oneOf(COMPARISONS, 'cmp', query.get('cmp') || 'gt')
  const goal = parseDecimal(requiredQuery(query, 'lower_boundary'), DECIMALS)
  if (goal === null) throw refusal('parameter', 'lower_boundary must be a number')
  return { status: compare(measure(result), goal) ? 'success' : 'failed' }
}

function oneOf<T>(rows: Readonly<Record<string, T>>, parameter: string, name: string): T {
  const found = Object.hasOwn(rows, name) ? rows[name] : undefined
  if (found === undefined)
    throw refusal('parameter', `${parameter} must be one of ${Object.keys(rows).join(', ')}`)
  return found
}
