import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { orElse } from '../../core/loop/guarded.ts'
import { ClientFailure } from '../client/client.ts'
import { figure } from '../rows.ts'
import type { ToolContext } from '../tool.ts'

/** Reads the funding period per market in hours, by symbol; empty if the rules cannot be read. */
export async function fundingHours({ client }: ToolContext): Promise<ReadonlyMap<string, number>> {
  const answer = await client
    .get('/api/prep/market-rules')
    .catch(orElse('mcp', null, ClientFailure))
  const rules = rowsAt(answer, 'rules')
  return new Map(
    rules.flatMap(({ symbol, info }) => {
      const hours = isObject(info) ? figure(info, 'funding_period') : 0
      return hours > 0 ? [[String(symbol), hours] as const] : []
    }),
  )
}

const COMPARED_HOURS = 8
const DAY_HOURS = 24
const DECIMALS = 10

/**
 * A row's funding rates as fractions per 8 hours and per day, which are comparable: markets pay funding every 1, 4 or 8
 * hours. Null if the period is unknown.
 */
export function comparableRates(row: Row, hours: number | undefined) {
  const per = (name: string, span: number) =>
    hours === undefined || typeof row[name] !== 'number'
      ? null
      : Number(((figure(row, name) * span) / hours).toFixed(DECIMALS))
  return {
    funding_period_h: hours ?? null,
    est_funding_rate_8h: per('est_funding_rate', COMPARED_HOURS),
    est_funding_rate_day: per('est_funding_rate', DAY_HOURS),
    last_funding_rate_8h: per('last_funding_rate', COMPARED_HOURS),
  }
}
